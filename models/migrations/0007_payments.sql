-- Payments, and what of each is allocated to which invoice or bill. Amounts are minor units of the payment's currency.

-- A refund settles nothing, so nothing of it is ever left to apply.
CREATE TABLE payments (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  payment_number     text NOT NULL,
  flow               text NOT NULL CHECK (flow IN ('INCOMING', 'OUTGOING')),
  payment_type       text NOT NULL CHECK (payment_type IN ('REGULAR', 'ADVANCE', 'REFUND')),
  contact_id         uuid NOT NULL,
  contact_name       text NOT NULL,
  date               date NOT NULL,
  amount             bigint NOT NULL CHECK (amount > 0),
  mode               text NOT NULL CHECK (mode IN ('CASH', 'BANK_TRANSFER', 'CHEQUE', 'UPI', 'CARD', 'OTHER')),
  reference_number   text,
  description        text,
  bank_account_id    uuid NOT NULL,
  currency_code      text NOT NULL,
  exchange_rate      numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  bank_charges       bigint NOT NULL CHECK (bank_charges >= 0),
  tds_amount         bigint NOT NULL CHECK (tds_amount >= 0 AND tds_amount <= amount),
  allocated          bigint NOT NULL CHECK (allocated >= 0 AND allocated <= amount),
  unapplied          bigint NOT NULL GENERATED ALWAYS AS
                       (CASE payment_type WHEN 'REFUND' THEN 0 ELSE amount - allocated END) STORED,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, payment_number),
  CHECK (payment_type <> 'REFUND' OR allocated = 0),
  CHECK (flow = 'OUTGOING' OR tds_amount + bank_charges <= amount),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts,
  FOREIGN KEY (org_id, bank_account_id) REFERENCES accounts
);
-- GET /payments: the plain page and one index a filter.
CREATE INDEX payments_page ON payments (org_id, created_time DESC, id DESC);
CREATE INDEX payments_by_flow ON payments (org_id, flow, created_time DESC, id DESC);
CREATE INDEX payments_by_contact ON payments (org_id, contact_id, created_time DESC, id DESC);
CREATE INDEX payments_by_date ON payments (org_id, date);
CREATE INDEX payments_modified ON payments (org_id, last_modified_time);
-- The duplicate guard: a contact's payments of one flow and amount around a date.
CREATE INDEX payments_alike ON payments (org_id, contact_id, flow, amount, date);

-- `settled_base` is what the allocation took off the document in the ledger, `relieved_base` what it took off the
-- payment, both in minor units of the organisation's currency; they differ by the exchange difference.
-- `applied_date` is the day of a later apply, null for what was allocated with the payment.
CREATE TABLE payment_allocations (
  org_id        uuid NOT NULL,
  id            uuid NOT NULL,
  payment_id    uuid NOT NULL,
  invoice_id    uuid,
  bill_id       uuid,
  amount        bigint NOT NULL CHECK (amount > 0),
  settled_base  bigint NOT NULL,
  relieved_base bigint NOT NULL,
  applied_date  date,
  PRIMARY KEY (org_id, id),
  CHECK ((invoice_id IS NULL) <> (bill_id IS NULL)),
  FOREIGN KEY (org_id, payment_id) REFERENCES payments ON DELETE CASCADE,
  FOREIGN KEY (org_id, invoice_id) REFERENCES invoices,
  FOREIGN KEY (org_id, bill_id) REFERENCES bills
);
-- A payment's allocations, and those of an invoice or a bill when it is settled, voided or audited.
CREATE INDEX payment_allocations_of_payment ON payment_allocations (org_id, payment_id);
CREATE INDEX payment_allocations_of_invoice ON payment_allocations (org_id, invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX payment_allocations_of_bill ON payment_allocations (org_id, bill_id) WHERE bill_id IS NOT NULL;
