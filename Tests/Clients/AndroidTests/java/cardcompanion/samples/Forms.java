package cardcompanion.samples;

import cardcompanion.sdk.Async;
import cardcompanion.sdk.DefinitionParameters;
import cardcompanion.sdk.DefinitionRequest;
import cardcompanion.sdk.DefinitionTokenParameters;
import cardcompanion.sdk.DefinitionTokenRequest;
import cardcompanion.sdk.GetPinToken;
import cardcompanion.sdk.KeyPadCoordinatesParameters;
import cardcompanion.sdk.NotifyParameters;
import cardcompanion.sdk.NotifyRequest;
import cardcompanion.sdk.PINDefinition;
import cardcompanion.sdk.PINDistribution;
import cardcompanion.sdk.ProvisioningParameters;
import cardcompanion.sdk.ProvisioningRequest;
import cardcompanion.sdk.SDKResponse;
import cardcompanion.sdk.TokenNotifyParameters;
import cardcompanion.sdk.TokenNotifyRequest;
import cardcompanion.sdk.TokenProvisioningParameters;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The operations in the forms beside that of the samples: "table" has the order of the document's tables,
 * "deprecated" the names of before version 1.7, and "async" hands over the response to a callback.
 */
@SuppressWarnings("deprecation")
final class Forms {
    private static final Object CONTEXT = new Object();

    private final String form;
    private final String hostUrl;

    Forms(String form, String hostUrl) {
        this.form = form;
        this.hostUrl = hostUrl;
    }

    private SDKResponse run(Supplier<SDKResponse> table, Supplier<SDKResponse> deprecated) {
        switch (form) {
            case "table": return table.get();
            case "deprecated": return deprecated.get();
            case "async":
                CompletableFuture<SDKResponse> response = new CompletableFuture<>();
                Async.run(table, Runnable::run, response::complete);
                return response.join();
            default: throw new IllegalArgumentException("form is sample, table, deprecated or async");
        }
    }

    SDKResponse run(ProvisioningParameters parameters) {
        return run(
            () -> PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl, CONTEXT),
            () -> ProvisioningRequest.postDataForGetPin(CONTEXT, parameters, hostUrl));
    }

    SDKResponse run(NotifyParameters parameters) {
        return run(
            () -> PINDistribution.postNotifyRequest(parameters, hostUrl, CONTEXT),
            () -> NotifyRequest.postDataForNotifyRequest(CONTEXT, parameters, hostUrl));
    }

    SDKResponse run(TokenProvisioningParameters parameters) {
        return run(
            () -> PINDistribution.postGetPINCaptchaTokenRequest(parameters, hostUrl, CONTEXT),
            () -> GetPinToken.getPinTokenCaptcha(CONTEXT, parameters, hostUrl));
    }

    SDKResponse run(TokenNotifyParameters parameters) {
        return run(
            () -> PINDistribution.postNotifyTokenRequest(parameters, hostUrl, CONTEXT),
            () -> TokenNotifyRequest.notifyPinToken(CONTEXT, parameters, hostUrl));
    }

    SDKResponse run(DefinitionParameters parameters) {
        return run(
            () -> PINDefinition.postDefinePINRequest(parameters, hostUrl, CONTEXT),
            () -> DefinitionRequest.definePin(CONTEXT, parameters, hostUrl));
    }

    SDKResponse runECDH(DefinitionTokenParameters parameters) {
        return run(
            () -> PINDefinition.postDefinePINECDHRequest(parameters, hostUrl, CONTEXT),
            () -> DefinitionTokenRequest.definePinToken(CONTEXT, parameters, hostUrl));
    }

    SDKResponse run(KeyPadCoordinatesParameters parameters) {
        return run(
            () -> PINDefinition.postGetKeyPadCoordinatesRequest(parameters, hostUrl, CONTEXT),
            () -> DefinitionTokenRequest.getKeyPadCoordinates(CONTEXT, parameters, hostUrl));
    }

    SDKResponse runECDHCB(DefinitionTokenParameters parameters) {
        return run(
            () -> PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl, CONTEXT),
            () -> DefinitionTokenRequest.definePinTokenCB(CONTEXT, parameters, hostUrl));
    }
}
