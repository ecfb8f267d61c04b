import ArgumentParser

struct OutputOptions: ParsableArguments {
    @Flag(help: "Answer in JSON, for scripts.")
    var json = false
}
