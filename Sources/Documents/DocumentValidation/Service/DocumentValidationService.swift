package import EMRTD
package import SecureMemory

/// What sessions ask of the rest of the service.
package protocol DocumentValidationService: Sendable {
    /// A client that may begin, and its check.
    associatedtype Admission: Sendable

    /// Looks up the client and its check.
    ///
    /// - Throws: the reason with which the session ends: ``CloseReason/invalidClientId``, ``CloseReason/invalidStartMessage`` or
    ///   ``CloseReason/serverError``.
    func admit(_ start: StartMessage) async throws(CloseReason) -> Admission

    /// Verifies the document, posts the result, and records it. That ends the session. If only the client has gone, it is not
    /// cancelled: a result that can still be posted is posted.
    ///
    /// - Returns: the JSON that was posted. RESULT sends it, if the client wants it.
    /// - Throws: the reason with which the session ends.
    func conclude(_ evidence: DocumentEvidence, for admission: Admission) async throws(CloseReason) -> SharedSecret

    /// Ends a session that has failed after a document was shown, and lets the bank know. It is called in place of
    /// ``release(_:)``.
    ///
    /// - Returns: the JSON that ``post(_:for:)`` must still post; nil if there is none. The client does not wait for that.
    func record(_ failure: SessionFailure, for admission: Admission) async -> SharedSecret?

    /// Posts what is known of a document whose session has failed.
    func post(_ result: SharedSecret, for admission: Admission) async

    /// Ends a session without a result. It is called exactly once for each admission for which ``conclude(_:for:)`` has
    /// returned nothing and ``record(_:for:)`` was not called, however the session has ended, also if the connection was lost or
    /// the server stops.
    func release(_ admission: Admission) async
}
