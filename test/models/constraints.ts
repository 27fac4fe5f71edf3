// What each constraint of the schema means to a caller: the tables that rows are deleted from, and what only a fault of ours can break.

/** Tables whose rows calls delete: a foreign key to them is a 404 to a call whose record vanished, and a 409 to the deletion. */
export const REMOVABLE: Record<string, string> = {
  contacts: 'DELETE /contacts/{contact_id}, refused while anything refers to it',
  items: 'DELETE /items/{item_id}, refused while a line is of it',
  invoices: 'DELETE of a draft, which no payment, credit or note names',
  bills: 'DELETE of a draft, which no payment, credit or note names',
  payments: 'DELETE; its allocations go with it',
  expenses: 'DELETE; its lines go with it',
  estimates: 'DELETE; refused when CONVERTED, and only then orders and invoices name it',
  purchase_orders: 'DELETE of a draft, which no bill names',
  recurring_schedules: 'DELETE; its runs go with it',
  sales_order_lines: 'PUT of a draft order, of which nothing is invoiced',
  purchase_order_lines: 'PUT of a draft order, of which nothing is billed',
}

/** Tables whose rows no call deletes: a foreign key to them can be broken by a fault of ours alone, and is a 500. */
export const NEVER_DELETED = [
  'partners', 'organizations', 'users', 'people', 'accounts', 'taxes', 'branches', 'accounting_periods', 'journals', 'sales_orders',
  'credit_notes', 'debit_notes', 'bulks', 'emails', 'webhook_endpoints', 'webhook_events', 'webhook_deliveries',
  'oauth_clients', 'oauth_consents', 'oauth_grants',
]

/** Every other check, unique key and trigger, by the reason why no caller can break it. */
export const UNREACHABLE: Record<string, string[]> = {
  'an enum that the shape of the body holds, or a status that only the tables of domain/lifecycle.ts give': [
    'organizations_status_check', 'users_role_check', 'oauth_tokens_kind_check', 'invitations_role_check', 'tokens_kind_check', 'tokens_tier_check', 'taxes_shape_check',
    'contacts_contact_type_check', 'contacts_status_check', 'items_item_type_check', 'items_status_check', 'invoices_status_check',
    'organization_preferences_invoice_template_check', 'logos_media_type_check',
    'webhook_endpoints_status_check', 'webhook_deliveries_status_check', 'bills_status_check', 'payments_flow_check', 'payments_mode_check',
    'payments_payment_type_check', 'credit_notes_status_check', 'credit_notes_type_check', 'debit_notes_status_check',
    'sales_orders_status_check', 'purchase_orders_status_check', 'estimates_status_check', 'conversions_source_type_check', 'conversions_check',
    'recurring_schedules_entity_type_check', 'recurring_schedules_frequency_check', 'recurring_schedules_month_anchor_check', 'recurring_signals_signal_check',
  ],
  'a bound that the shape of the body holds': [
    'organizations_fiscal_year_start_month_check', 'number_series_padding_check', 'invoices_exchange_rate_check', 'bills_exchange_rate_check',
    'payments_exchange_rate_check', 'credit_notes_exchange_rate_check', 'debit_notes_exchange_rate_check', 'sales_orders_exchange_rate_check',
    'purchase_orders_exchange_rate_check', 'estimates_exchange_rate_check', 'expenses_rcm_rate_check',
    'recurring_schedules_interval_count_check', 'recurring_schedules_max_runs_check',
    ...['invoice', 'bill', 'credit_note', 'debit_note', 'sales_order', 'purchase_order', 'estimate']
      .flatMap((document) => ['discount', 'quantity', 'rate'].map((column) => `${document}_lines_${column}_check`)),
  ],
  'sums that domain/totals.ts makes of the very lines, and assertions before the row is laid into the books': [
    'invoices_check', 'invoices_check1', 'bills_check', 'bills_check1', 'expenses_check', 'credit_notes_check1', 'credit_notes_check2',
    'debit_notes_check', 'debit_notes_check1', 'sales_orders_check1', 'sales_orders_check2', 'purchase_orders_check1',
    'purchase_orders_check2', 'estimates_check1', 'estimates_check2',
    'sales_orders_round_off_check', 'purchase_orders_round_off_check', 'estimates_round_off_check',
  ],
  'a total or amount below 0, or of 0, that the command refuses with validation.invalid_value first': [
    'invoices_total_check', 'bills_total_check', 'credit_notes_total_check', 'debit_notes_total_check', 'sales_orders_total_check',
    'purchase_orders_total_check', 'estimates_total_check', 'expenses_total_check', 'expenses_amount_check', 'expense_lines_amount_check',
    'payments_amount_check', 'payments_bank_charges_check', 'payments_check', 'payments_check3', 'payment_allocations_amount_check',
    'credit_applications_amount_check',
  ],
  'a limit that is decided by the locked row: what is allocated, applied or converted never exceeds what there is': [
    'invoices_check2', 'invoices_credits_applied_check', 'invoices_payment_made_check', 'bills_check2', 'bills_payment_made_check',
    'bills_vendor_credits_applied_check', 'payments_check1', 'payments_check2', 'credit_notes_check', 'credit_notes_check4', 'credit_notes_check5',
    'debit_notes_applied_amount_check', 'sales_order_lines_check', 'purchase_order_lines_check', 'estimates_check3', 'conversions_check1',
    'conversions_check2',
  ],
  'a state that only domain/circuit.ts and the statements of the relay give': [
    'webhook_circuits_state_check', 'webhook_circuits_failures_check', 'webhook_circuits_opened_check', 'webhook_circuits_check',
    'webhook_deliveries_held_by_check', 'webhook_deliveries_check',
  ],
  'a state that only domain/e-invoice/state.ts gives, and a registration that is written as a whole, under the lock of the document': [
    'e_invoices_kind_check', 'e_invoices_status_check', 'e_invoices_provider_check', 'e_invoices_irn_check', 'e_invoices_attempts_check', 'e_invoices_check',
    'e_invoices_check1', 'e_invoices_check2', 'e_invoices_irn',
  ],
  'what the command refuses first: auto_charge of another kind, and not exactly one template': ['recurring_schedules_check', 'recurring_schedules_check1'],
  'a state that only domain/schedule-state.ts gives, under the lock of the schedule': [
    'recurring_schedules_status_check', 'recurring_schedules_check2', 'recurring_schedules_run_count_check', 'recurring_schedules_failures_check',
    'recurring_schedules_next_occurrence_check', 'recurring_runs_occurrence_check', 'recurring_runs_status_check', 'recurring_runs_check',
    'recurring_runs_check1', 'recurring_runs_once', 'recurring_runs_document', 'recurring_schedules_tick_runs_check', 'recurring_signals_attempts_check',
  ],
  'an attachment: its size and hash are counted by us, and its row is counted by the trigger of its table': [
    'attachments_sha256_check', 'attachments_size_bytes_check', 'attachment_usage_pkey', 'attachment_usage_files_check', 'attachment_usage_bytes_check',
  ],
  'a comment without a text, which the command refuses with validation.required_field first': ['comments_body_check'],
  'a row of a bulk: its place is counted by us, and it is decided once, under its lock': [
    'bulks_entity_type_check', 'bulks_status_check', 'bulks_total_check', 'bulks_check', 'bulk_items_index_check', 'bulk_items_status_check',
    'bulk_items_check', 'bulk_items_pkey', 'bulk_items_document',
  ],
  'a state of a mail, which commands/mail gives under its lock': [
    'emails_purpose_check', 'emails_state_check', 'emails_tries_check', 'emails_refusal_check', 'emails_check', 'emails_check1', 'emails_check2', 'emails_reminder_check',
    'email_recipients_place_check', 'email_recipients_kind_check', 'email_recipients_reported_check', 'email_recipients_check',
  ],
  'recipients are folded before they are stored, and counted by us': ['email_recipients_address', 'email_recipients_pkey'],
  'one of two parents, which the command decides': ['payment_allocations_check', 'credit_applications_check', 'credit_notes_check3'],
  'a date before the document, which the command refuses with validation.invalid_value first': [
    'sales_orders_check', 'purchase_orders_check', 'estimates_check',
  ],
  'the ledger: what domain/posting asserts of every entry before it is laid into the books': [
    'journals_line_count_check', 'journal_lines_check', 'journal_lines_check1', 'journal_lines_credit_check', 'journal_lines_debit_check',
    'journal_balances', 'check_journal', 'refuse_change', 'journals_org_id_id_line_count_key',
  ],
  'an entry is reversed once, under the lock of its document or of the entry itself': ['journals_reversal'],
  'written when the organisation is made, by a list of ours that has each once; no call adds to it': [
    'accounting_periods_check', 'accounting_periods_org_id_start_date_key', 'accounts_org_id_code_key', 'accounts_role',
    'branches_default', 'currencies_pkey', 'exchange_rates_rate_check',
  ],
  "an operator's command, whose refusal the operator reads": ['partners_name_key'],
  'an id is new, and a password is written with its time': ['people_id_email_key', 'people_check'],
  '32 random bytes, or their hash': ['sessions_secret_hash_key', 'partner_keys_key_hash_key', 'tokens_token_hash_key', 'oauth_grants_code_hash_key', 'oauth_tokens_token_hash_key'],
  'a number of a sequence of ours, which is taken under the lock of its row; no caller sends one': [
    'journals_org_id_journal_number_key', 'payments_org_id_payment_number_key', 'expenses_org_id_expense_number_key',
    'credit_notes_org_id_credit_note_number_key', 'debit_notes_org_id_debit_note_number_key', 'sales_orders_org_id_sales_order_number_key',
    'purchase_orders_org_id_purchase_order_number_key', 'estimates_org_id_estimate_number_key',
  ],
  'the positions of events, taken under the lock of their counter': ['webhook_events_feed', 'removed_events_position_check'],
  'a consent is new, and has each chosen organisation once': ['oauth_consent_organizations_pkey'],
  'the places of lines, counted by us': [
    'invoice_lines_org_id_invoice_id_line_no_key', 'bill_lines_org_id_bill_id_line_no_key', 'estimate_lines_org_id_estimate_id_line_no_key',
    'journal_lines_pkey',
  ],
  'a part of an order or estimate is converted under its lock, and named once in a request': [
    'invoice_lines_of_order', 'bill_lines_of_order', 'sales_orders_of_estimate', 'conversions_sales_order', 'conversions_invoice', 'conversions_bill',
  ],
  'written by INSERT ... ON CONFLICT, or by one process under its lock': [
    'event_counters_pkey', 'idempotent_answers_pkey', 'idempotent_answers_check', 'monthly_balances_pkey', 'number_counters_pkey', 'process_heartbeats_pkey',
    'organization_preferences_pkey', 'logos_pkey', 'e_invoice_credentials_pkey', 'sandbox_e_invoices_pkey', 'installation_keys_pkey', 'installation_once', 'last_uses_pkey', 'sign_ins_pkey',
    'removed_events_pkey', 'removed_conversions_pkey', 'reminder_sweeps_pkey', 'schema_migrations_pkey', 'temporal_marks_pkey', 'webhook_attempts_pkey', 'webhook_deliveries_org_id_event_id_endpoint_id_key',
  ],
}
