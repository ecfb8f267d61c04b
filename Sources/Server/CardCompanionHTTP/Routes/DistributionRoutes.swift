internal import CardCompanion
internal import CardCompanionAPI
internal import Hummingbird
internal import Logging

/// The four operations of PIN distribution.
struct DistributionRoutes {
    let distribution: DistributionService
    let callers: CallerLimits
    let refusals: RefusalCounts
    let audit: Logger
    let admission: Admission

    func add(to router: Router<ServiceContext>) {
        let distribution = distribution
        let fault = DistributionCode.unexpectedError
        let fetches = CodedRoutes(
            callers: callers, refusals: refusals, audit: audit, admission: admission,
            fault: CaptchaAnswer(errorCode: fault.rawValue, errorMessage: fault.message))
        let notifies = CodedRoutes(
            callers: callers, refusals: refusals, audit: audit, admission: admission,
            fault: StatusAnswer(errorCode: fault.rawValue, errorMessage: fault.message))

        fetches.post(APIPath.captcha, on: router) { body, record in
            CaptchaAnswer(try await distribution.fetch(body, audit: &record))
        }
        notifies.post(APIPath.notify, on: router) { body, record in
            try await distribution.notify(body, audit: &record)
            return .distributionSuccess
        }
        fetches.post(APIPath.tokenCaptcha, on: router) { body, record in
            CaptchaAnswer(try await distribution.fetchWithToken(body, audit: &record))
        }
        notifies.post(APIPath.tokenNotify, on: router) { body, record in
            try await distribution.notifyWithToken(body, audit: &record)
            return .distributionSuccess
        }
    }
}

extension CaptchaAnswer {
    fileprivate init(_ delivery: DistributionService.Delivery) {
        self.init(
            errorCode: DistributionCode.success.rawValue, errorMessage: DistributionCode.success.message,
            pin: delivery.pin, sessionId: delivery.sessionId)
    }
}

extension StatusAnswer {
    fileprivate static let distributionSuccess = StatusAnswer(
        errorCode: DistributionCode.success.rawValue, errorMessage: DistributionCode.success.message)
}
