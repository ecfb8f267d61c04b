internal import CardCompanion
internal import CardCompanionAPI
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import SecureMemory
internal import StrictJSON

/// The answer to an operation of the SDK. It is sent with HTTP 200, whatever its code.
protocol CodedAnswer: Sendable {
    var errorCode: Int { get }
    var errorMessage: String { get }
    init(errorCode: Int, errorMessage: String)
    /// Writes the other members.
    func write(to json: inout JSONWriter)
}

extension CodedAnswer {
    /// More than a keypad needs. For a PIN the buffer grows.
    private static var usualByteCount: Int { 1024 }

    /// JSON. Much faster than an encoder for any type.
    fileprivate func body() -> ResponseBody {
        let json = JSONWriter.object(capacity: Self.usualByteCount, in: .ordinary) { json in
            json.add("errorCode", Int64(errorCode))
            json.add("errorMessage", errorMessage)
            write(to: &json)
        }
        return json.withBytes { ResponseBody(byteBuffer: ByteBuffer(bytes: $0)) }
    }
}

/// An error that has a code of the protocol.
protocol CodedError: Error {
    /// The code of the answer, and the true code.
    var codes: (answered: Int, truly: Int) { get }
    /// The code's message, for people.
    var codeMessage: String { get }
    /// An addition to the message.
    var detail: String? { get }
    /// The internal error, for the log only.
    var cause: (any Error)? { get }
}

extension CodedError {
    fileprivate var message: String { detail.map { "\(codeMessage): \($0)" } ?? codeMessage }
}

extension RequestError: CodedError {
    var codes: (answered: Int, truly: Int) { (code.rawValue, trueCode.rawValue) }
    var codeMessage: String { code.message }
}

/// Adds operations of the SDK to a router. Each reads its body and writes the audit trail. An answer with a code is
/// always HTTP 200.
struct CodedRoutes<Answer: CodedAnswer>: Sendable {
    /// Which requests are charged to the address that sent them.
    enum Charge {
        case refusedCallers
        /// For an operation that authenticates nobody.
        case everyRequest
    }

    typealias Operation = @Sendable (borrowing JSONText, inout AuditRecord) async throws -> Answer

    let callers: CallerLimits
    let refusals: RefusalCounts
    let audit: Logger
    let admission: Admission
    /// The answer after an internal error. Its cause goes to the log only.
    let fault: Answer

    func post(
        _ path: String, on router: Router<ServiceContext>, charging charge: Charge = .refusedCallers,
        _ operation: @escaping Operation
    ) {
        let (routes, priority) = (self, RequestPriority(appPath: path))
        router.post(RouterPath(path)) { request, context in
            let body = try await RequestBodyReader.object(request)
            let answer = try await routes.admission.serve(priority) {
                var record = AuditRecord(operation: path, requestId: context.requestId)
                record.name(claimedIn: body)
                return try await routes.answer(body, &record, context) { body, record in
                    if charge == .everyRequest { try routes.callers.charge(request, context) }
                    do {
                        return try await operation(body, &record)
                    } catch let refused as RefusedCaller {
                        routes.count(refused, path, record.bankId)
                        if charge == .refusedCallers { try routes.callers.charge(request, context) }
                        throw refused.reason
                    }
                }
            }
            return Response(status: .ok, headers: [.contentType: "application/json"], body: answer.body())
        }
    }

    private func count(_ refused: RefusedCaller, _ path: String, _ bankId: String?) {
        guard let error = refused.reason as? any CodedError else { return }
        refusals.count(path, bankId: bankId, outcome: "code \(error.codes.truly)")
    }

    private func answer(
        _ body: borrowing JSONText, _ record: inout AuditRecord, _ context: ServiceContext, _ operation: Operation
    ) async throws -> Answer {
        do {
            let answer = try await operation(body, &record)
            context.answer.set(code: answer.errorCode)
            record.write(answered: answer.errorCode, truly: answer.errorCode, to: audit)
            return answer
        } catch let error as any CodedError {
            if let cause = error.cause {
                context.logger.error("Request refused: internal error", metadata: ["error": "\(cause)"])
            }
            let codes = error.codes
            context.answer.set(code: codes.truly)
            record.write(answered: codes.answered, truly: codes.truly, detail: error.detail, to: audit)
            return Answer(errorCode: codes.answered, errorMessage: error.message)
        } catch let error as Overloaded {
            // Nothing has happened, and there can be very many.
            throw error
        } catch {
            let problem = Problem(error)
            guard problem.isFault else {
                record.write(status: problem.status.code, to: audit)
                throw error
            }
            context.logger.error("Internal server error", metadata: ["error": "\(error)"])
            context.answer.set(code: fault.errorCode)
            record.write(answered: fault.errorCode, truly: fault.errorCode, to: audit)
            return fault
        }
    }
}

extension CaptchaAnswer: CodedAnswer {
    init(errorCode: Int, errorMessage: String) {
        self.init(errorCode: errorCode, errorMessage: errorMessage, pin: nil, sessionId: nil)
    }

    func write(to json: inout JSONWriter) {
        if let pin { json.add("pin", pin) }
        if let sessionId { json.add("sessionId", sessionId) }
    }
}

extension DefinitionAnswer: CodedAnswer {
    init(errorCode: Int, errorMessage: String) {
        self.init(errorCode: errorCode, errorMessage: errorMessage, effective: nil)
    }

    func write(to json: inout JSONWriter) {
        if let effective { json.add("effective", effective) }
    }
}

extension KeypadAnswer: CodedAnswer {
    init(errorCode: Int, errorMessage: String) {
        self.init(errorCode: errorCode, errorMessage: errorMessage, keypad: nil, keypadId: nil)
    }

    func write(to json: inout JSONWriter) {
        if let keypad { json.add("keypad", array: { array in for digit in keypad { array.add(digit) } }) }
        if let keypadId { json.add("keypadId", keypadId) }
    }
}

extension StatusAnswer: CodedAnswer {
    func write(to json: inout JSONWriter) {}
}
