package cardcompanion.sdk;

import cardcompanion.sdk.internal.Outcome;

/**
 * The result of an operation with a token. In the SDK document the samples assign the results of {@link
 * PINDistribution#postGetPINCaptchaTokenRequest} and {@link PINDefinition#postDefinePINECDHRequest} to this class,
 * and its tables say {@link ProvisioningResponse} and {@link DefinitionResponse}: this class is both. After a
 * definition it has only a code.
 */
public final class GetPINTokenResponse extends ProvisioningResponse {
    GetPINTokenResponse(Outcome outcome, Delivery delivery) {
        super(outcome, delivery);
    }
}
