internal import ArgumentParser

package struct OutputOptions: ParsableArguments {
    @Flag(help: "Answer in JSON, for scripts.")
    package var json = false
}
