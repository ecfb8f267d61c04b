/// How long the callers of a task wait for the answer to one statement or batch.
///
/// Without a limit the statement timeout counts. With one, a server that sends nothing for so long is given up: its
/// connection is closed, and whether the statement took effect is unknown. If the server only works on an earlier statement of
/// another caller, the caller gets the same error, and the statement goes on.
package enum AnswerLimit {
    @TaskLocal package static var current: Duration?
}
