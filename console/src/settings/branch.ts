// A branch as the API answers it.
export interface Address {
  address: string | null
  city: string | null
  state_code: string | null
  zip: string | null
  country: string | null
}

export interface Branch {
  branch_id: string
  code: string
  name: string
  gstin: string | null
  state: string
  city: string | null
  address: Address | null
  dispatch_address: Address | null
  is_default: boolean
  is_active: boolean
}
