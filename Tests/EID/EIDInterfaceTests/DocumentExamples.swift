// swift-format-ignore-file
/// The examples of document 000 (AusweisApp2 SDK, release 1.22.2, Governikus GmbH & Co. KG), chapters 5 to 7, as they are
/// printed. Only lines that the print has broken are whole again, and of two texts in section 7.4 a comma too many and a
/// missing brace are mended.
enum DocumentExamples {
    /// Chapter 5.
    static let commands = [
        #"""
        { "cmd": "GET_INFO" }
        """#,
        #"""
        { "cmd": "GET_API_LEVEL" }
        """#,
        #"""
        {  
          "cmd": "SET_API_LEVEL",  
          "level": 1  
        }
        """#,
        #"""
        {
          "cmd": "GET_READER",
          "name": "NAME OF THE READER"
        }
        """#,
        #"""
        { "cmd": "GET_READER_LIST" }
        """#,
        #"""
        {
          "cmd": "RUN_AUTH",
          "tcTokenURL": "https://test.governikus-eid.de/Autent-DemoApplication/RequestServlet?provider=demo_epa_20&redirect=true",
          "handleInterrupt": true,
          "messages":
          {
            "sessionStarted": "Please place your ID card on the top of the device's back side.",
        "sessionFailed": "Scanning process failed.",
        "sessionSucceeded": "Scanning process has been finished successfully.",
        "sessionInProgress": "Scanning process is in progress."
        }
        }
        """#,
        #"""
        {
          "cmd": "RUN_CHANGE_PIN",
          "handleInterrupt": true,
          "messages":
          {
            "sessionStarted": "Please place your ID card on the top of the device's back side.",
            "sessionFailed": "Scanning process failed.",
            "sessionSucceeded": "Scanning process has been finished successfully.",
            "sessionInProgress": "Scanning process is in progress."
          }
        }
        """#,
        #"""
        { "cmd": "GET_ACCESS_RIGHTS" }
        """#,
        #"""
        {  
          "cmd": "SET_ACCESS_RIGHTS",  
          "chat": []  
        }
        """#,
        #"""
        {  
          "cmd": "SET_ACCESS_RIGHTS",  
          "chat": ["FamilyName"]  
        }
        """#,
        #"""
        { "cmd": "GET_CERTIFICATE" }
        """#,
        #"""
        { "cmd": "CANCEL" }
        """#,
        #"""
        { "cmd": "ACCEPT" }
        """#,
        #"""
        { "cmd": "INTERRUPT" }
        """#,
        #"""
        {  
          "cmd": "SET_PIN",  
          "value": "123456"  
        }
        """#,
        #"""
        {  
          "cmd": "SET_NEW_PIN",  
          "value": "123456"  
        }
        """#,
        #"""
        {  
          "cmd": "SET_CAN",  
          "value": "123456"  
        }
        """#,
        #"""
        {
          "cmd": "SET_PUK",
          "value": "1234567890"
        }
        """#,
    ]

    /// Chapter 6.
    static let messages = [
        #"""
        {
          "msg": "ACCESS_RIGHTS",
          "error": "some optional error message",
          "aux":
            {
              "ageVerificationDate": "1999-07-20",
              "requiredAge": "18",
              "validityDate": "2017-07-20",
              "communityId": "02760400110000"
            },
          "chat":
            {
              "effective": ["Address", "FamilyName", "GivenNames","AgeVerification"],
              "optional": ["GivenNames", "AgeVerification"],
              "required": ["Address", "FamilyName"]
            },
          "transactionInfo": "this is an example",
          "canAllowed": false
        }
        """#,
        #"""
        {
          "msg": "ACCESS_RIGHTS",
          "chat":
            {
              "effective": ["Address", "FamilyName", "GivenNames","AgeVerification"],
              "optional": ["GivenNames", "AgeVerification"],
              "required": ["Address", "FamilyName"]
            }
        }
        """#,
        #"""
        {
          "msg": "API_LEVEL",
          "error": "optional error message like an invalid level",
          "available": [1,2,3,4],
          "current": 4
        }
        """#,
        #"""
        {
          "msg": "AUTH",
          "error": "error message if RUN_AUTH failed"
        }
        """#,
        #"""
        {
          "msg": "AUTH",
          "result": {
            "major": "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#ok"
          },
          "url": "https://test.governikus-eid.de/gov_autent/async?refID=_123456789"
        }
        """#,
        #"""
        {
          "msg": "AUTH",
          "result": {
            "major": "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#error",
            "minor": "http://www.bsi.bund.de/ecard/api/1.1/resultminor/al/common#internalError",
            "language": "en",
            "description": "An internal error has occurred during processing.",
            "message": "The connection to the ID card has been lost. The process was aborted."
          },
          "url": "https://test.governikus-eid.de/gov_autent/async?refID=_abcdefgh"
        }
        """#,
        #"""
        {
          "msg": "BAD_STATE",
          "error": "NAME_OF_YOUR_COMMAND"
        }
        """#,
        #"""
        {
          "msg": "CERTIFICATE",
          "description":
            {
              "issuerName": "Governikus Test DVCA",
              "issuerUrl": "http://www.governikus.de",
              "subjectName": "Governikus GmbH & Co. KG",
              "subjectUrl": "https://test.governikus-eid.de",
              "termsOfUsage": "Anschrift:\t\r\nGovernikus GmbH & Co. KG\r\n\r\nAm Fallturm 9\r\n\r\n28359 Bremen\t\r\n\r\n\r\nE-Mail-Adresse:\tthb@bos-bremen.de\t\r\n\r\n\r\nZweck des Auslesevorgangs:\tDemonstration des eID-Service\t\r\n\r\n\r\nZuständige Datenschutzaufsicht:\t\r\n\r\nDie Landesbeauftragte für\r\n\r\nDatenschutz und Informationsfreiheit der Freien Hansestadt Bremen\r\n\r\n\r\nArndtstraße 1\r\n\r\n27570 Bremerhaven",
              "purpose": "Demonstration des eID-Service"
            },
          "validity":
            {
              "effectiveDate": "2016-07-31",
              "expirationDate": "2016-08-30"
            }
        }
        """#,
        #"""
        {
          "msg": "CHANGE_PIN",
          "success": true
        }
        """#,
        #"""
        {
          "msg": "ENTER_CAN",
          "error": "You must provide 6 digits",
          "reader":
            {
              "name": "NFC",
              "attached": true,
              "keypad": false,
              "card":
                {
                  "inoperative": false,
                  "deactivated": false,
                  "retryCounter": 1
                }
            }
        }
        """#,
        #"""
        {
          "msg": "ENTER_PIN",
          "error": "You must provide 6 digits",
          "reader":
            {
              "name": "NFC",
              "attached": true,
              "keypad": false,
              "card":
                {
                  "inoperative": false,
                  "deactivated": false,
                  "retryCounter": 3
                }
            }
        }
        """#,
        #"""
        {
          "msg": "ENTER_NEW_PIN",
          "error": "You must provide 6 digits",
          "reader":
            {
              "name": "NFC",
              "attached": true,
              "keypad": false,
              "card":
                {
                  "inoperative": false,
                  "deactivated": false,
                  "retryCounter": 3
                }
            }
        }
        """#,
        #"""
        {
          "msg": "ENTER_PUK",
          "error": "You must provide 10 digits",
          "reader":
            {
              "name": "NFC",
              "attached": true,
              "keypad": false,
              "card":
                {
                  "inoperative": false,
                  "deactivated": false,
                  "retryCounter": 0
                }
            }
        }
        """#,
        #"""
        {
          "msg": "INFO",
          "VersionInfo":
            {
              "Name": "AusweisApp2",
              "Implementation-Title": "AusweisApp2",
                "Implementation-Vendor": "Governikus GmbH & Co. KG",
                "Implementation-Version": "1.10.0",
                "Specification-Title": "TR-03124",
                "Specification-Vendor": "Federal Office for Information Security",
                "Specification-Version": "1.2"
            }
        }
        """#,
        #"""
        { "msg": "INSERT_CARD" }
        """#,
        #"""
        {
          "msg": "INTERNAL_ERROR",
          "error": "Unexpected condition"
        }
        """#,
        #"""
        {
          "msg": "INVALID",
          "error": "unterminated string (offset: 12)"
        }
        """#,
        #"""
        {
          "msg": "READER",
          "name": "NFC",
          "attached": true,
          "keypad": false,
          "card":
            {
              "inoperative": false,
              "deactivated": false,
              "retryCounter": 3
            }
        }
        """#,
        #"""
        {
          "msg": "READER_LIST",
          "reader":
            [
              {
                "name": "Example reader 1 [SmartCard] (1234567) 01 00",
                "attached": true,
                "keypad": true,  
                "card": null  
            },  
            {  
                "name": "NFC",  
                "attached": true,  
                "keypad": false,  
                "card": {  
                    "inoperative": false,  
                    "deactivated": false,  
                    "retryCounter": 3  
                }  
            }  
        ]  
        }
        """#,
        #"""
        {  
          "msg": "UNKNOWN_COMMAND",  
          "error": "get_INFo"  
        }
        """#,
    ]

    /// Chapter 7.
    static let workflows: [(title: String, texts: [String])] = [
        ("Minimal successful authentication", [
            #"""
            { "cmd": "RUN_AUTH", "tcTokenURL": "https://test.governikus-eid.de/DEMO" }
            """#,
            #"""
            { "msg": "AUTH" }
            """#,
            #"""
            { "msg": "ACCESS_RIGHTS", "chat": { "effective": ["FamilyName", "GivenNames","DocumentType"], "optional": ["GivenNames"], "required": ["FamilyName","DocumentType"] } }
            """#,
            #"""
            { "cmd": "ACCEPT" }
            """#,
            #"""
            { "msg": "ENTER_PIN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 3 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_PIN", "value": "123456" }
            """#,
            #"""
            { "msg": "AUTH", "result": { "major": "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#ok", "url": "https://test.governikus-eid.de/DEMO/?refID=123456" } }
            """#,
        ]),
        ("Successful authentication with CAN", [
            #"""
            { "cmd": "RUN_AUTH", "tcTokenURL": "https://test.governikus-eid.de/DEMO" }
            """#,
            #"""
            { "msg": "AUTH" }
            """#,
            #"""
            { "msg": "ACCESS_RIGHTS", "chat": { "effective": ["DocumentType"], "optional": [], "required": ["DocumentType"] } }
            """#,
            #"""
            { "cmd": "ACCEPT" }
            """#,
            #"""
            { "msg": "INSERT_CARD" }
            """#,
            #"""
            { "msg": "ENTER_PIN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 3 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_PIN", "value": "000000" }
            """#,
            #"""
            { "msg": "ENTER_PIN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 2 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_PIN", "value": "000001" }
            """#,
            #"""
            { "msg": "ENTER_CAN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 1 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_CAN", "value": "000000" }
            """#,
            #"""
            { "msg": "ENTER_CAN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 1 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_CAN", "value": "654321" }
            """#,
            #"""
            { "msg": "ENTER_PIN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 1 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_PIN", "value": "123456" }
            """#,
            #"""
            { "msg": "AUTH", "result": { "major": "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#ok", "url": "https://test.governikus-eid.de/DEMO/?refID=123456" } }
            """#,
        ]),
        ("Cancelled authentication", [
            #"""
            { "cmd": "RUN_AUTH", "tcTokenURL": "https://test.governikus-eid.de/DEMO" }
            """#,
            #"""
            { "msg": "AUTH" }
            """#,
            #"""
            { "msg": "ACCESS_RIGHTS", "chat": { "effective": [ "DocumentType" ], "optional": [], "required": [ "DocumentType" ] } }
            """#,
            #"""
            { "cmd": "CANCEL" }
            """#,
            #"""
            { "msg": "AUTH", "result": { "description": "The process has been cancelled.","language": "en", "major": "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#error", "message": "The process has been cancelled.", "minor": "http://www.bsi.bund.de/ecard/api/1.1/resultminor/sal#cancellationByUser", "url":"https://test.governikus-eid.de/DEMO/?errID=123456" } }
            """#,
        ]),
        ("Set some access rights", [
            #"""
            { "cmd": "RUN_AUTH", "tcTokenURL": "https://test.governikus-eid.de/DEMO" }
            """#,
            #"""
            { "msg": "AUTH" }
            """#,
            #"""
            { "msg": "ACCESS_RIGHTS", "chat": { "effective": ["FamilyName", "GivenNames","DocumentType"], "optional": ["GivenNames"], "required": ["FamilyName","DocumentType"] } }
            """#,
            #"""
            { "cmd": "SET_ACCESS_RIGHTS", "chat": [] }
            """#,
            #"""
            { "msg": "ACCESS_RIGHTS", "chat": { "effective": ["FamilyName", "DocumentType"], "optional": ["GivenNames"], "required": ["FamilyName", "DocumentType"] } }
            """#,
            #"""
            { "cmd": "SET_ACCESS_RIGHTS", "chat": ["GivenNames"] }
            """#,
            #"""
            { "msg": "ACCESS_RIGHTS", "chat": { "effective": ["FamilyName", "GivenNames","DocumentType"], "optional": ["GivenNames"], "required": ["FamilyName","DocumentType"] } }
            """#,
            #"""
            { "cmd": "CANCEL" }
            """#,
            #"""
            { "msg": "AUTH", "result": { "description": "The process has been cancelled.","language": "en", "major": "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#error", "message": "The process has been cancelled.", "minor": "http://www.bsi.bund.de/ecard/api/1.1/resultminor/sal#cancellationByUser", "url":"https://test.governikus-eid.de/DEMO/?errID=123456" } }
            """#,
        ]),
        ("Minimal successful PIN change", [
            #"""
            { "cmd": "RUN_CHANGE_PIN" }
            """#,
            #"""
            { "msg": "CHANGE_PIN" }
            """#,
            #"""
            { "msg": "ENTER_PIN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 3 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_PIN", "value": "123456" }
            """#,
            #"""
            { "msg": "ENTER_NEW_PIN", "reader": { "attached": true, "card": { "inoperative": false, "deactivated": false, "retryCounter": 3 }, "keypad": false, "name": "NFC" } }
            """#,
            #"""
            { "cmd": "SET_NEW_PIN", "value": "123456" }
            """#,
            #"""
            { "msg": "CHANGE_PIN", "success": true }
            """#,
        ]),
    ]
}
