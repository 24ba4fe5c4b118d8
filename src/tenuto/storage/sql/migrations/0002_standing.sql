-- Whether an object was ready once: what others see of it stays, while it is changed.
ALTER TABLE object ADD COLUMN has_stood INTEGER NOT NULL DEFAULT 0 CHECK (has_stood IN (0, 1));
UPDATE object SET has_stood = 1 WHERE is_final = 0 AND state = target;
