-- What locks a cardholder: too many wrong codes, too many unconfirmed fetches, both, or nothing (an empty array).
--
-- In plpgsql, because a function in SQL that is not inlined is parsed again at each call.
CREATE OR REPLACE FUNCTION cardholder_locks(
    p_holder      cardholder,
    p_retry_limit integer,
    p_fetch_limit integer
) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN array_remove(ARRAY[
        CASE WHEN p_holder.authentication_failures >= p_retry_limit THEN 'authenticationFailures' END,
        CASE WHEN p_holder.unconfirmed_fetches >= p_fetch_limit THEN 'unconfirmedFetches' END
    ], NULL);
END
$$;
