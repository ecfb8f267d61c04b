extension Message {
    /// The JSON text as a kernel of this level sends it, without white space, with members in the document's order.
    package func text(level: APILevel) -> WipedBytes {
        JSONWriter.object { writer in
            writer.add("msg", name)
            addMembers(to: &writer, level)
        }
    }

    private func addMembers(to writer: inout JSONWriter, _ level: APILevel) {
        switch self {
        case .accessRights(let message): message.add(to: &writer)
        case .apiLevel(let message):
            writer.add("error", message.error)
            if let available = message.available { writer.add("available", available) }
            writer.add("current", message.current)
        case .auth(let message): message.add(to: &writer)
        case .badState(let command): writer.add("error", command)
        case .certificate(let message): message.add(to: &writer)
        case .changePIN(.started), .unknown: break
        case .changePIN(.finished(let success, let reason)):
            writer.add("success", success)
            writer.add("reason", reason)
        case .enterCAN(let message), .enterPIN(let message), .enterNewPIN(let message), .enterPUK(let message):
            writer.add("error", message.error)
            if let reader = message.reader { writer.add("reader", object: { reader.add(to: &$0, level) }) }
        case .info(let version): version.add(to: &writer)
        case .insertCard(let error), .internalError(let error), .invalid(let error): writer.add("error", error)
        case .reader(let reader): reader.add(to: &writer, level)
        case .readerList(let readers):
            writer.add(level == .one ? "reader" : "readers", objects: readers) { $1.add(to: &$0, level) }
        case .unknownCommand(let name): writer.add("error", name)
        case .status(let status): status.add(to: &writer)
        case .pause(let cause): writer.add("cause", cause)
        }
    }
}

extension AccessRightsMessage {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add("error", error)
        if let aux {
            writer.add(
                "aux",
                object: { writer in
                    writer.add("ageVerificationDate", aux.ageVerificationDate?.text)
                    writer.add("requiredAge", aux.requiredAge)
                    writer.add("validityDate", aux.validityDate?.text)
                    writer.add("communityId", aux.communityId)
                })
        }
        if let chat {
            writer.add(
                "chat",
                object: { writer in
                    writer.add("effective", chat.effective.map(\.rawValue))
                    writer.add("optional", chat.optional.map(\.rawValue))
                    writer.add("required", chat.required.map(\.rawValue))
                })
        }
        writer.add("transactionInfo", transactionInfo)
        writer.add("canAllowed", canAllowed)
    }
}

extension AuthMessage {
    fileprivate func add(to writer: inout JSONWriter) {
        switch self {
        case .started: break
        case .refused(let error): writer.add("error", error)
        case .finished(let outcome, let url):
            if let outcome { writer.add("result", object: { outcome.add(to: &$0) }) }
            writer.add("url", url)
        }
    }
}

extension AuthMessage.Outcome {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add("major", major)
        writer.add("minor", minor)
        writer.add("language", language)
        writer.add("description", description)
        writer.add("message", message)
        writer.add("reason", reason)
    }
}

extension CertificateMessage {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add(
            "description",
            object: { writer in
                writer.add("issuerName", description.issuerName)
                writer.add("issuerUrl", description.issuerUrl)
                writer.add("subjectName", description.subjectName)
                writer.add("subjectUrl", description.subjectUrl)
                writer.add("termsOfUsage", description.termsOfUsage)
                writer.add("purpose", description.purpose)
            })
        writer.add(
            "validity",
            object: { writer in
                writer.add("effectiveDate", validity.effectiveDate.text)
                writer.add("expirationDate", validity.expirationDate.text)
            })
    }
}

extension VersionInfo {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add(
            "VersionInfo",
            object: { writer in
                for (name, value) in members { writer.add(name, value) }
            })
    }

    /// The members with their names in JSON, in the document's order.
    package var members: [(name: String, value: String)] {
        let values = [
            name, implementationTitle, implementationVendor, implementationVersion, specificationTitle,
            specificationVendor, specificationVersion,
        ]
        return zip(CodingKeys.allCases, values).map { ($0.rawValue, $1) }
    }
}

extension ReaderMessage {
    /// A reader that is not attached has no further members.
    fileprivate func add(to writer: inout JSONWriter, _ level: APILevel) {
        writer.add("name", name)
        if level >= .two, attached { writer.add("insertable", insertable) }
        writer.add("attached", attached)
        guard attached else { return }
        writer.add("keypad", keypad)
        if let card, card != .unknown || level >= .three {
            writer.add("card", object: { card.add(to: &$0) })
        } else {
            writer.addNull("card")
        }
    }
}

extension CardMessage {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add("inoperative", inoperative)
        writer.add("deactivated", deactivated)
        writer.add("retryCounter", retryCounter)
    }
}

extension StatusMessage {
    fileprivate func add(to writer: inout JSONWriter) {
        if let workflow { writer.add("workflow", workflow) } else { writer.addNull("workflow") }
        if let progress { writer.add("progress", progress) } else { writer.addNull("progress") }
        if let state { writer.add("state", state) } else { writer.addNull("state") }
    }
}
