-- Version 1.0 of the tables and functions of a store. In front of a name, `@` stands for the schema and
-- the prefix of the store, see `names.rs`.
--
-- The functions need the isolation level READ COMMITTED, in which every statement of a function sees what
-- was committed before this statement, and so all that was written before a lock was free.

CREATE TABLE "@values" (
    key text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL,
    version bigint NOT NULL,
    expires timestamptz NOT NULL,
    "group" text COLLATE "C"
);
CREATE INDEX ON "@values" (expires);
CREATE INDEX ON "@values" ("group", expires, key) WHERE "group" IS NOT NULL;
CREATE SEQUENCE "@versions";

-- Returns the version of the written value, 0 for a conflict, or -1 if the group is full. The condition is
-- NULL for any value or none, -1 for no value, or the version that the key must have.
CREATE FUNCTION "@put"(
    p_key text, p_value bytea, p_millis bigint, p_condition bigint, p_group text, p_most bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_kept interval := p_millis * interval '1 millisecond';
    v_version bigint;
BEGIN
    IF p_condition >= 0 THEN
        UPDATE "@values"
            SET value = p_value, version = nextval('"@versions"'), expires = clock_timestamp() + v_kept
            WHERE key = p_key AND version = p_condition AND expires > clock_timestamp()
            RETURNING version INTO v_version;
        RETURN coalesce(v_version, 0);
    END IF;
    IF p_group IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('@group.' || p_group, 0));
        IF NOT EXISTS (SELECT FROM "@values" WHERE key = p_key AND expires > clock_timestamp())
            AND p_most <= (
                SELECT count(*) FROM (
                    SELECT FROM "@values"
                        WHERE "group" = p_group AND expires > clock_timestamp() LIMIT p_most
                ) AS members
            )
        THEN
            RETURN -1;
        END IF;
    END IF;
    INSERT INTO "@values" AS stored (key, value, version, expires, "group")
        VALUES (p_key, p_value, nextval('"@versions"'), clock_timestamp() + v_kept, p_group)
        ON CONFLICT (key) DO UPDATE
            SET value = excluded.value, version = excluded.version, expires = excluded.expires,
                "group" = excluded."group"
            WHERE p_condition IS NULL OR stored.expires <= clock_timestamp()
        RETURNING version INTO v_version;
    RETURN coalesce(v_version, 0);
END
$$;

CREATE TABLE "@streams" (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session text COLLATE "C" NOT NULL,
    stream text COLLATE "C" NOT NULL,
    -- What the stream is for.
    about bytea NOT NULL,
    -- The number of the newest event.
    last bigint NOT NULL DEFAULT 0,
    -- The number of events that are kept, and their size.
    events bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    ended boolean NOT NULL DEFAULT false,
    expires timestamptz NOT NULL,
    -- Until when a reader may wait for a notification.
    watched timestamptz,
    UNIQUE (session, stream)
);
CREATE INDEX ON "@streams" (expires);
CREATE TABLE "@events" (
    stream bigint NOT NULL REFERENCES "@streams" ON DELETE CASCADE,
    number bigint NOT NULL,
    message bytea NOT NULL,
    PRIMARY KEY (stream, number)
);

-- Returns the new time of expiry of a stream. It is moved in large steps, because each changes an index.
CREATE FUNCTION "@extended"(p_expires timestamptz, p_kept bigint) RETURNS timestamptz
LANGUAGE sql AS $$
    SELECT CASE
        WHEN p_expires >= clock_timestamp() + p_kept * interval '1 millisecond' THEN p_expires
        ELSE clock_timestamp() + (p_kept + p_kept / 8) * interval '1 millisecond'
    END
$$;

CREATE FUNCTION "@open"(p_session text, p_stream text, p_about bytea, p_kept bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('@session.' || p_session, 0));
    DELETE FROM "@streams" WHERE session = p_session AND expires <= clock_timestamp();
    INSERT INTO "@streams" AS stored (session, stream, about, expires)
        VALUES (p_session, p_stream, p_about, "@extended"('-infinity', p_kept))
        ON CONFLICT (session, stream) DO UPDATE SET expires = "@extended"(stored.expires, p_kept);
    DELETE FROM "@streams" WHERE id IN (
        SELECT id FROM "@streams" WHERE session = p_session ORDER BY ended, id DESC OFFSET 64
    );
END
$$;

CREATE FUNCTION "@append"(
    p_session text, p_stream text, p_number bigint, p_message bytea, p_kept bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v "@streams"%ROWTYPE;
    v_oldest record;
BEGIN
    SELECT * INTO v FROM "@streams"
        WHERE session = p_session AND stream = p_stream AND expires > clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF p_message IS NULL THEN
        v.ended := true;
    ELSIF p_number > v.last THEN
        INSERT INTO "@events" (stream, number, message) VALUES (v.id, p_number, p_message);
        v.last := p_number;
        v.events := v.events + 1;
        v.bytes := v.bytes + octet_length(p_message);
        IF v.events > 256 OR v.bytes > 1048576 THEN
            FOR v_oldest IN
                SELECT number, octet_length(message) AS bytes FROM "@events"
                    WHERE stream = v.id AND number < p_number ORDER BY number
            LOOP
                EXIT WHEN v.events <= 256 AND v.bytes <= 1048576;
                DELETE FROM "@events" WHERE stream = v.id AND number = v_oldest.number;
                v.events := v.events - 1;
                v.bytes := v.bytes - v_oldest.bytes;
            END LOOP;
        END IF;
    END IF;
    UPDATE "@streams"
        SET last = v.last, events = v.events, bytes = v.bytes, ended = v.ended,
            expires = "@extended"(v.expires, p_kept)
        WHERE id = v.id;
    -- A notification takes a lock of the whole server until the commit.
    IF v.watched > clock_timestamp() THEN
        PERFORM pg_notify('@events', p_stream);
    END IF;
END
$$;

-- Returns no row if the stream is unknown, and a row without a number if it has no events.
CREATE FUNCTION "@read"(p_session text, p_stream text, p_after bigint)
RETURNS TABLE (r_ended boolean, r_number bigint, r_message bytea) LANGUAGE plpgsql AS $$
DECLARE
    v "@streams"%ROWTYPE;
BEGIN
    SELECT * INTO v FROM "@streams"
        WHERE session = p_session AND stream = p_stream AND expires > clock_timestamp();
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF v.last <= p_after AND NOT v.ended THEN
        -- Waits for a call of `append` that is running. Later calls see the mark.
        UPDATE "@streams" SET watched = clock_timestamp() + interval '30 seconds'
            WHERE id = v.id
            AND (watched IS NULL OR watched < clock_timestamp() + interval '10 seconds');
    END IF;
    RETURN QUERY
        SELECT s.ended, e.number, e.message
            FROM "@streams" AS s LEFT JOIN "@events" AS e ON e.stream = s.id AND e.number > p_after
            WHERE s.id = v.id ORDER BY e.number;
END
$$;

CREATE FUNCTION "@remove_session"(p_session text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('@session.' || p_session, 0));
    PERFORM pg_notify('@events', stream) FROM "@streams"
        WHERE session = p_session AND watched > clock_timestamp();
    DELETE FROM "@streams" WHERE session = p_session;
END
$$;

-- The end of the log. A position is only valid for the log with the same random name.
CREATE TABLE "@bus" (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    log text NOT NULL DEFAULT md5(random()::text || clock_timestamp()::text),
    last bigint NOT NULL
);
INSERT INTO "@bus" (last) VALUES (0);
CREATE TABLE "@messages" (
    id bigint PRIMARY KEY,
    message bytea NOT NULL,
    -- The size of the messages up to this one.
    total bigint NOT NULL DEFAULT 0,
    published timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON "@messages" (total);

-- The row of `bus` is locked until the commit. So messages are committed in the order of their ids, and the
-- ids have no gaps.
CREATE FUNCTION "@publish"(p_message bytea) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id bigint;
    v_total bigint;
BEGIN
    INSERT INTO "@bus" AS stored (last) SELECT coalesce(max(id), 0) + 1 FROM "@messages"
        ON CONFLICT (single) DO UPDATE SET last = stored.last + 1
        RETURNING last INTO v_id;
    INSERT INTO "@messages" (id, message, total)
        SELECT v_id, p_message, octet_length(p_message)
            + coalesce((SELECT total FROM "@messages" WHERE id = v_id - 1), 0)
        RETURNING total INTO v_total;
    DELETE FROM "@messages" WHERE id <= v_id - 100000;
    DELETE FROM "@messages" WHERE total <= v_total - 67108864 AND id < v_id;
    PERFORM pg_notify('@bus', '');
END
$$;
