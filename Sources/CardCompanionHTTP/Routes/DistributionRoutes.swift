internal import CardCompanion
internal import CardCompanionAPI
internal import Hummingbird
internal import Logging
internal import StrictJSON

/// The four operations of PIN distribution. Each is answered with HTTP 200 and a code, whatever the code.
struct DistributionRoutes {
    let distribution: PINDistribution
    let audit: Logger

    func add(to router: Router<BasicRequestContext>) {
        let distribution = distribution
        post(APIPath.captcha, router) { body, record in
            .delivered(try await distribution.fetch(body, audit: &record))
        }
        post(APIPath.notify, router) { body, record in
            try await distribution.notify(body, audit: &record)
            return .success
        }
        post(APIPath.tokenCaptcha, router) { body, record in
            .delivered(try await distribution.fetchWithToken(body, audit: &record))
        }
        post(APIPath.tokenNotify, router) { body, record in
            try await distribution.notifyWithToken(body, audit: &record)
            return .success
        }
    }

    private typealias Operation = @Sendable (borrowing JSONText, inout AuditRecord) async throws -> CaptchaAnswer

    private func post(_ path: String, _ router: Router<BasicRequestContext>, _ operation: @escaping Operation) {
        router.post(RouterPath(path)) { request, context in
            let body = try await RequestBodyReader.object(request)
            let answer = try await answer(path, body, context, operation)
            return Response(
                status: .ok, headers: [.contentType: "application/json"], body: try .json(answer))
        }
    }

    private func answer(
        _ path: String, _ body: borrowing JSONText, _ context: BasicRequestContext, _ operation: Operation
    ) async throws -> CaptchaAnswer {
        let logger = context.logger
        var record = AuditRecord(operation: path, requestId: context.id)
        do {
            let answer = try await operation(body, &record)
            record.write(answered: answer.errorCode, truly: answer.errorCode, to: audit)
            return answer
        } catch let error as DistributionError {
            if let cause = error.cause {
                logger.error("Refused for a cause within", metadata: ["error": "\(cause)"])
            }
            record.write(answered: error.code.rawValue, truly: error.trueCode.rawValue, to: audit)
            return CaptchaAnswer(error)
        } catch let error as ServiceUnavailable {
            throw error
        } catch {
            logger.error("A fault of the server's", metadata: ["error": "\(error)"])
            let error = DistributionCode.unexpectedError
            record.write(answered: error.rawValue, truly: error.rawValue, to: audit)
            return CaptchaAnswer(errorCode: error.rawValue, errorMessage: error.message)
        }
    }
}

extension CaptchaAnswer {
    fileprivate static let success = CaptchaAnswer(
        errorCode: DistributionCode.success.rawValue, errorMessage: DistributionCode.success.message)

    fileprivate static func delivered(_ delivery: PINDistribution.Delivery) -> CaptchaAnswer {
        var answer = success
        answer.pin = delivery.pin
        answer.sessionId = delivery.sessionId
        return answer
    }

    fileprivate init(_ error: DistributionError) {
        let message = error.detail.map { "\(error.code.message): \($0)" } ?? error.code.message
        self.init(errorCode: error.code.rawValue, errorMessage: message)
    }
}
