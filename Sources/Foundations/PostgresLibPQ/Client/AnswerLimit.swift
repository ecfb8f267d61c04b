/// How long the callers of a task wait for one statement or batch: for a connection, and for the answer.
///
/// Without a limit the statement timeout counts. With one, the caller gets an error in time: whether the statement took effect is
/// unknown. If the server sends nothing for twice as long, it is given up, and the connection is closed.
package enum AnswerLimit {
    @TaskLocal package static var current: Duration?
}
