-- What documents refer to: accounts, taxes, branches, periods, number series, currencies, contacts, items.

CREATE TABLE accounts (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  code               text NOT NULL,
  name               text NOT NULL,
  account_type       text NOT NULL,
  role               text,
  parent_id          uuid,
  description        text,
  currency_code      text NOT NULL,
  is_active          boolean NOT NULL,
  is_system          boolean NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, code),
  FOREIGN KEY (org_id, parent_id) REFERENCES accounts
);
-- The accounts that a posting looks for by what they are for.
CREATE UNIQUE INDEX accounts_role ON accounts (org_id, role) WHERE role IS NOT NULL;
-- The account that rounding differences are posted to is found by its name.
CREATE INDEX accounts_round_off ON accounts (org_id, name) WHERE is_active AND name IN ('Round Off', 'Rounding');
CREATE INDEX accounts_page ON accounts (org_id, created_time DESC, id DESC);
CREATE INDEX accounts_by_type ON accounts (org_id, account_type, created_time DESC, id DESC);
CREATE INDEX accounts_by_parent ON accounts (org_id, parent_id, created_time DESC, id DESC);

-- The sum of an account's journal lines, debit positive, in the organisation's currency; kept by a trigger on the
-- lines, so that a balance is read in one row however many lines there are.
CREATE TABLE account_balances (
  org_id     uuid NOT NULL,
  account_id uuid NOT NULL,
  balance    bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, account_id),
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
) WITH (fillfactor = 50);

CREATE TABLE taxes (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  name               text NOT NULL,
  shape              text NOT NULL CHECK (shape IN ('INTRA_STATE', 'INTER_STATE', 'RCM', 'EXEMPT', 'NIL_RATED', 'NON_GST')),
  cgst               numeric(6, 3) NOT NULL,
  sgst               numeric(6, 3) NOT NULL,
  igst               numeric(6, 3) NOT NULL,
  cess               numeric(6, 3) NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE INDEX taxes_page ON taxes (org_id, created_time DESC, id DESC);

CREATE TABLE branches (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  code               text NOT NULL,
  name               text NOT NULL,
  gstin              text,
  state              text NOT NULL,
  city               text,
  is_default         boolean NOT NULL,
  is_active          boolean NOT NULL,
  invoice_prefix     text NOT NULL,
  bill_prefix        text NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, code)
);
CREATE UNIQUE INDEX branches_default ON branches (org_id) WHERE is_default;

CREATE TABLE accounting_periods (
  org_id       uuid NOT NULL REFERENCES organizations,
  id           uuid NOT NULL,
  name         text NOT NULL,
  start_date   date NOT NULL,
  end_date     date NOT NULL CHECK (end_date > start_date),
  created_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, start_date)
);

CREATE TABLE number_series (
  org_id          uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  branch_id       uuid NOT NULL,
  period_id       uuid NOT NULL,
  series_name     text NOT NULL,
  label           text,
  prefix          text NOT NULL,
  padding         smallint NOT NULL CHECK (padding BETWEEN 1 AND 18),
  format_template text NOT NULL,
  is_default      boolean NOT NULL,
  created_time    timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, branch_id, period_id, series_name),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, period_id) REFERENCES accounting_periods
);

-- The next number of every sequence: a series by its id, journals and legacy numbers by their name. The row is taken
-- by the last statement before the commit, so nobody waits for it longer than that.
CREATE TABLE number_counters (
  org_id      uuid NOT NULL REFERENCES organizations,
  sequence    text NOT NULL,
  next_number bigint NOT NULL,
  PRIMARY KEY (org_id, sequence)
) WITH (fillfactor = 50);

-- Numbers of deleted drafts, so that an auditor finds the reason of every gap.
CREATE TABLE number_gaps (
  org_id      uuid NOT NULL REFERENCES organizations,
  id          uuid NOT NULL,
  branch_id   uuid NOT NULL,
  document    text NOT NULL,
  number      text NOT NULL,
  series_name text,
  reason      text NOT NULL,
  time        timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches
);
CREATE INDEX number_gaps_page ON number_gaps (org_id, document, time DESC, id DESC);

CREATE TABLE currencies (
  org_id        uuid NOT NULL REFERENCES organizations,
  currency_code text NOT NULL,
  name          text NOT NULL,
  symbol        text NOT NULL,
  minor_digits  smallint NOT NULL,
  is_enabled    boolean NOT NULL,
  PRIMARY KEY (org_id, currency_code)
);

CREATE TABLE exchange_rates (
  org_id        uuid NOT NULL REFERENCES organizations,
  id            uuid NOT NULL,
  from_currency text NOT NULL,
  to_currency   text NOT NULL,
  rate          numeric(24, 10) NOT NULL CHECK (rate > 0),
  rate_date     date NOT NULL,
  source        text NOT NULL,
  PRIMARY KEY (org_id, id)
);
-- GET /exchange_rates, newest first, with either filter or both.
CREATE INDEX exchange_rates_page ON exchange_rates (org_id, rate_date DESC, id DESC);
CREATE INDEX exchange_rates_pair ON exchange_rates (org_id, from_currency, to_currency, rate_date DESC, id DESC);
CREATE INDEX exchange_rates_to ON exchange_rates (org_id, to_currency, rate_date DESC, id DESC);

CREATE TABLE cost_centers (
  org_id    uuid NOT NULL REFERENCES organizations,
  id        uuid NOT NULL,
  code      text NOT NULL,
  name      text NOT NULL,
  is_active boolean NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, code)
);

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE contacts (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  contact_type       text NOT NULL CHECK (contact_type IN ('CUSTOMER', 'VENDOR', 'BOTH')),
  contact_name       text NOT NULL,
  display_name       text,
  legal_name         text,
  company_name       text,
  gst_no             text,
  gst_treatment      text,
  pan                text,
  place_of_contact   text,
  email              text,
  phone              text,
  website            text,
  billing_address    jsonb,
  shipping_address   jsonb,
  contact_persons    jsonb NOT NULL,
  payment_terms      integer NOT NULL,
  opening_balance    numeric(20, 4) NOT NULL,
  credit_limit       numeric(20, 4),
  currency_code      text NOT NULL,
  status             text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
-- GET /contacts: the plain page and one index a filter; the search is a substring, so it has trigrams.
CREATE INDEX contacts_page ON contacts (org_id, created_time DESC, id DESC);
CREATE INDEX contacts_by_type ON contacts (org_id, contact_type, created_time DESC, id DESC);
CREATE INDEX contacts_by_status ON contacts (org_id, status, created_time DESC, id DESC);
CREATE INDEX contacts_by_gst_no ON contacts (org_id, gst_no, created_time DESC, id DESC) WHERE gst_no IS NOT NULL;
CREATE INDEX contacts_by_email ON contacts (org_id, email, created_time DESC, id DESC) WHERE email IS NOT NULL;
CREATE INDEX contacts_modified ON contacts (org_id, last_modified_time);
CREATE INDEX contacts_search ON contacts USING gin (
  (lower(contact_name) || E'\n' || lower(coalesce(company_name, '')) || E'\n' || lower(coalesce(email, ''))) gin_trgm_ops
);

CREATE TABLE items (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  item_name          text NOT NULL,
  sku                text,
  item_type          text NOT NULL CHECK (item_type IN ('GOODS', 'SERVICE')),
  description        text,
  hsn_or_sac         text,
  unit               text,
  rate               numeric(24, 6) NOT NULL,
  purchase_rate      numeric(24, 6) NOT NULL,
  tax_id             uuid,
  account_id         uuid,
  status             text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- GET /items: the plain page and one index a filter.
CREATE INDEX items_page ON items (org_id, created_time DESC, id DESC);
CREATE INDEX items_by_status ON items (org_id, status, created_time DESC, id DESC);
CREATE INDEX items_by_type ON items (org_id, item_type, created_time DESC, id DESC);
CREATE INDEX items_by_sku ON items (org_id, sku, created_time DESC, id DESC) WHERE sku IS NOT NULL;
CREATE INDEX items_modified ON items (org_id, last_modified_time);
CREATE INDEX items_search ON items USING gin (
  (lower(item_name) || E'\n' || lower(coalesce(sku, '')) || E'\n' || lower(coalesce(description, ''))) gin_trgm_ops
);
