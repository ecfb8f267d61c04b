internal import Foundation

/// A PKCS#11 module that passes calls to SoftHSM's, unless a file says otherwise.
enum FaultyModule {
    /// The path of the compiled module.
    static let path = Once<String> {
        let source = try TestFolder.shared.write(FaultyModule.source, named: "faulty-pkcs11.c")
        let library = "\(source).so"
        try await TestCommand.run("clang", ["-x", "c", "-O1", "-shared", "-fPIC", "-o", library, source]).succeeded()
        return library
    }

    private static let source = """
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        #include <p11-kit-1/p11-kit/pkcs11.h>

        static CK_FUNCTION_LIST ours, *theirs;
        static void *library;

        static int behaves(const char *behavior) {
            char text[32] = "";
            int file = open(getenv("FAULTY_PKCS11_BEHAVIOR"), O_RDONLY | O_CLOEXEC);
            ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
            if (file >= 0) close(file);
            text[count < 0 ? 0 : count] = 0;
            return strcmp(text, behavior) == 0;
        }

        static void note(const char *suffix) {
            const char *file_of_behavior = getenv("FAULTY_PKCS11_BEHAVIOR");
            if (!file_of_behavior) return;
            char path[4096];
            snprintf(path, sizeof path, "%s.%s", file_of_behavior, suffix);
            int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
            if (file < 0) return;
            if (write(file, "x", 1) != 1) abort();
            close(file);
        }

        static CK_RV fault(void) {
            while (behaves("hang")) usleep(20000);
            return behaves("gone") ? CKR_DEVICE_REMOVED : CKR_OK;
        }

        #define UNLESS_FAULTY(call) do { CK_RV rv = fault(); return rv == CKR_OK ? (call) : rv; } while (0)

        static CK_RV finalize(void *reserved) {
            note("finalized");
            return theirs->C_Finalize(reserved);
        }

        static CK_RV get_slot_list(unsigned char present, CK_SLOT_ID *list, CK_ULONG *count) {
            CK_RV rv = fault();
            if (rv == CKR_OK) return theirs->C_GetSlotList(present, list, count);
            *count = 0;
            return CKR_OK;
        }

        static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
            CK_RV rv = fault();
            if (rv == CKR_OK) rv = theirs->C_GetTokenInfo(slot, info);
            if (rv == CKR_OK && behaves("final-try")) info->flags |= CKF_USER_PIN_FINAL_TRY;
            if (rv == CKR_OK && behaves("locked")) info->flags |= CKF_USER_PIN_LOCKED;
            return rv;
        }

        static CK_RV log_in(CK_SESSION_HANDLE session, CK_USER_TYPE user, unsigned char *pin, CK_ULONG count) {
            note("logins");
            if (behaves("locked")) return CKR_PIN_LOCKED;
            UNLESS_FAULTY(theirs->C_Login(session, user, pin, count));
        }

        static CK_RV find_objects_init(CK_SESSION_HANDLE session, CK_ATTRIBUTE *template, CK_ULONG count) {
            UNLESS_FAULTY(theirs->C_FindObjectsInit(session, template, count));
        }

        static CK_RV find_objects(
            CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG limit, CK_ULONG *count) {
            CK_RV rv = theirs->C_FindObjects(session, objects, limit, count);
            if (rv == CKR_OK && behaves("empty")) *count = 0;
            return rv;
        }

        static CK_RV encrypt_init(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
            if (behaves("own-iv")) {
                CK_GCM_PARAMS *parameters = mechanism->pParameter;
                for (CK_ULONG i = 0; i < parameters->ulIvLen; i++) parameters->pIv[i] ^= 0x5A;
            }
            UNLESS_FAULTY(theirs->C_EncryptInit(session, mechanism, key));
        }

        static CK_RV decrypt_init(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
            UNLESS_FAULTY(theirs->C_DecryptInit(session, mechanism, key));
        }

        static CK_RV unknown(CK_ATTRIBUTE *template, CK_ULONG count) {
            for (CK_ULONG i = 0; behaves("old") && i < count; i++)
                if (template[i].type == CKA_COPYABLE) return CKR_ATTRIBUTE_TYPE_INVALID;
            return CKR_OK;
        }

        static CK_RV generate_key(
            CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *template, CK_ULONG count,
            CK_OBJECT_HANDLE *key) {
            CK_RV rv = unknown(template, count);
            return rv == CKR_OK ? theirs->C_GenerateKey(session, mechanism, template, count, key) : rv;
        }

        static CK_RV generate_key_pair(
            CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *public_template, CK_ULONG public_count,
            CK_ATTRIBUTE *private_template, CK_ULONG private_count, CK_OBJECT_HANDLE *public_key,
            CK_OBJECT_HANDLE *private_key) {
            note("keypairs");
            CK_RV rv = behaves("empty") ? CKR_DEVICE_ERROR : unknown(private_template, private_count);
            return rv != CKR_OK ? rv : theirs->C_GenerateKeyPair(
                session, mechanism, public_template, public_count, private_template, private_count, public_key,
                private_key);
        }

        static CK_RV get_attribute_value(
            CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *template, CK_ULONG count) {
            CK_RV rv = unknown(template, count);
            return rv == CKR_OK ? theirs->C_GetAttributeValue(session, object, template, count) : rv;
        }

        CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
            if (!library) library = dlopen(getenv("FAULTY_PKCS11_MODULE"), RTLD_NOW | RTLD_LOCAL);
            if (!library) return CKR_GENERAL_ERROR;
            CK_RV (*get)(CK_FUNCTION_LIST **) = (CK_RV (*)(CK_FUNCTION_LIST **))dlsym(library, "C_GetFunctionList");
            CK_RV rv = get ? get(&theirs) : CKR_GENERAL_ERROR;
            if (rv != CKR_OK) return rv;
            ours = *theirs;
            ours.C_Finalize = finalize;
            ours.C_GetSlotList = get_slot_list;
            ours.C_GetTokenInfo = get_token_info;
            ours.C_Login = log_in;
            ours.C_FindObjectsInit = find_objects_init;
            ours.C_FindObjects = find_objects;
            ours.C_EncryptInit = encrypt_init;
            ours.C_DecryptInit = decrypt_init;
            ours.C_GenerateKey = generate_key;
            ours.C_GenerateKeyPair = generate_key_pair;
            ours.C_GetAttributeValue = get_attribute_value;
            *list = &ours;
            return CKR_OK;
        }
        """
}
