"""A small convolutional network in numpy: what somebody reaches who has the source and can draw images to train on."""

import os

# Its matrices are small: more threads take longer.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy
from PIL import Image

CHANNELS = (16, 32, 64)
KERNEL = 3
BATCH = 50
LEARNING_RATE = 2e-3


def load(images, size=(120, 45)):
    """Gray images with mean 0, dark digits or light ones."""
    pictures = [Image.open(file).convert("L").resize(size, Image.Resampling.BOX) for file in images.files]
    pixels = numpy.stack([numpy.asarray(picture, dtype=numpy.float32) for picture in pictures])
    pixels -= pixels.mean(axis=(1, 2), keepdims=True)
    return (pixels / (pixels.std(axis=(1, 2), keepdims=True) + 1e-6))[..., None]


def labels(images):
    return numpy.array([[int(digit) for digit in answer] for answer in images.answers])


class Network:
    """Three convolutions of stride 2, and one layer that gives ten scores for each digit."""

    def __init__(self, shape, length, generator):
        self.length = length
        self.weights, self.biases = [], []
        height, width, depth = shape
        for channels in CHANNELS:
            self._add(generator, KERNEL * KERNEL * depth, channels)
            height, width, depth = (height + 1) // 2, (width + 1) // 2, channels
        self._add(generator, height * width * depth, length * 10)
        self.moments = [(numpy.zeros_like(w), numpy.zeros_like(w)) for w in self.weights + self.biases]
        self.steps = 0

    def _add(self, generator, inputs, outputs):
        weights = generator.standard_normal((inputs, outputs)) * numpy.sqrt(2 / inputs)
        self.weights.append(weights.astype(numpy.float32))
        self.biases.append(numpy.zeros(outputs, dtype=numpy.float32))

    def scores(self, pixels, remember=None):
        values = pixels
        for weights, bias in zip(self.weights[:-1], self.biases[:-1]):
            patches = unfold(values)
            output = numpy.maximum(patches @ weights + bias, 0)
            if remember is not None:
                remember.append((values.shape, patches, output))
            values = output
        flat = values.reshape(len(values), -1)
        if remember is not None:
            remember.append(flat)
        return (flat @ self.weights[-1] + self.biases[-1]).reshape(-1, self.length, 10)

    def learn(self, pixels, digits, rate):
        remembered = []
        scores = self.scores(pixels, remembered)
        shares = numpy.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        shares[numpy.arange(len(digits))[:, None], numpy.arange(self.length), digits] -= 1
        error = (shares / len(digits)).reshape(len(digits), -1)
        flat = remembered.pop()
        gradients = [(flat.T @ error, error.sum(axis=0))]
        error = (error @ self.weights[-1].T).reshape(remembered[-1][2].shape)
        for index in reversed(range(len(remembered))):
            shape, patches, output = remembered[index]
            error = error * (output > 0)
            inputs, outputs = self.weights[index].shape
            flat_error = error.reshape(-1, outputs)
            gradients.append((patches.reshape(-1, inputs).T @ flat_error, flat_error.sum(axis=0)))
            if index:
                error = fold(error @ self.weights[index].T, shape)
        gradients.reverse()
        self._step([g for g, _ in gradients] + [g for _, g in gradients], rate)

    def _step(self, gradients, rate):
        """Adam."""
        self.steps += 1
        for values, gradient, (first, second) in zip(self.weights + self.biases, gradients, self.moments):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            scale = numpy.sqrt(second / (1 - 0.999**self.steps)) + 1e-8
            values -= rate * first / (1 - 0.9**self.steps) / scale


def unfold(values):
    """The patch of 3 × 3 values around every second value of an image."""
    count, height, width, depth = values.shape
    padded = numpy.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows, columns = (height + 1) // 2, (width + 1) // 2
    parts = [
        padded[:, y : y + 2 * rows - 1 : 2, x : x + 2 * columns - 1 : 2] for y in range(KERNEL) for x in range(KERNEL)
    ]
    return numpy.concatenate(parts, axis=3)


def fold(patches, shape):
    """Adds the gradients of patches to those of the values from which `unfold` took them."""
    count, height, width, depth = shape
    rows, columns = patches.shape[1:3]
    padded = numpy.zeros((count, height + 2, width + 2, depth), dtype=numpy.float32)
    for index in range(KERNEL * KERNEL):
        y, x = divmod(index, KERNEL)
        part = patches[..., index * depth : (index + 1) * depth]
        padded[:, y : y + 2 * rows - 1 : 2, x : x + 2 * columns - 1 : 2] += part
    return padded[:, 1:-1, 1:-1]


def moved(pixels, generator):
    """The same images a few pixels away: as good as more of them."""
    rows, columns = generator.integers(-2, 3), generator.integers(-6, 7)
    return numpy.roll(pixels, (rows, columns), axis=(1, 2))


def train(images, progress):
    """Shows few images more often than many."""
    epochs = min(max(15, 60_000 // len(images.answers)), 60)
    generator = numpy.random.default_rng(1)
    pixels, digits = load(images), labels(images)
    network = Network(pixels.shape[1:], digits.shape[1], generator)
    for epoch in range(epochs):
        rate = LEARNING_RATE * (1 - epoch / epochs)
        for start in range(0, len(pixels), BATCH):
            if start == 0:
                order = generator.permutation(len(pixels))
            chosen = order[start : start + BATCH]
            network.learn(moved(pixels[chosen], generator), digits[chosen], rate)
        progress(epoch + 1, epochs)
    return network


def read_with_network(network, images):
    digits = network.scores(load(images)).argmax(axis=2)
    return ["".join(str(digit) for digit in row) for row in digits]
