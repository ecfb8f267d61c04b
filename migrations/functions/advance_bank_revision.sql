-- Any change of a bank, its keys or its certificates advances the bank's revision.
CREATE OR REPLACE FUNCTION advance_bank_revision() RETURNS trigger
LANGUAGE plpgsql SET search_path = card_companion, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'bank' THEN
        NEW.revision := OLD.revision + 1;
        RETURN NEW;
    END IF;
    UPDATE bank SET revision = revision WHERE bank_id IN (NEW.bank_id, OLD.bank_id);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER bank_revision BEFORE UPDATE ON bank
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
CREATE OR REPLACE TRIGGER hmac_key_revision AFTER INSERT OR UPDATE OR DELETE ON hmac_key
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
CREATE OR REPLACE TRIGGER bank_key_revision AFTER INSERT OR UPDATE OR DELETE ON bank_key
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
CREATE OR REPLACE TRIGGER certificate_revision AFTER INSERT OR UPDATE OR DELETE ON certificate
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
CREATE OR REPLACE TRIGGER revocation_list_revision AFTER INSERT OR UPDATE OR DELETE ON revocation_list
    FOR EACH ROW EXECUTE FUNCTION advance_bank_revision();
