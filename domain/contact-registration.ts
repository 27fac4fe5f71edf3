// What the GSTIN of a contact decides: its GST treatment, state and PAN.
import { fault } from './faults.ts'
import { hasGstinShape, panOfGstin, stateOfGstin } from './gstin.ts'

/** The columns of a contact that its GSTIN decides. */
interface GstColumns {
  gst_no: string | null
  gst_treatment: string | null
  place_of_contact: string | null
  pan: string | null
}

/**
 * The columns that follow from the GSTIN in a body. State and PAN are those of the new GSTIN where the contact has none, or
 * has those of its former GSTIN; values that were set otherwise stay. The treatment is the one that is sent, else the
 * contact's, else REGISTERED. Without a GSTIN only gst_no changes. The caller applies a state or PAN that is sent afterwards.
 * Throws validation.invalid_value, field gst_no, for text without the shape of a GSTIN.
 */
export function contactRegistration(
  before: GstColumns,
  sent: { gst_no?: string | null; gst_treatment?: string | null },
): Partial<GstColumns> {
  const gstin = sent.gst_no?.trim().toUpperCase() || null
  if (gstin === null) return { gst_no: null }
  if (!hasGstinShape(gstin)) {
    throw fault('validation.invalid_value', {
      field: 'gst_no',
      message: 'A GSTIN has 15 letters and digits and begins with the two digits of the state.',
    })
  }
  const following = (kept: string | null, of: (gstin: string) => string | null) =>
    kept === null || (before.gst_no !== null && kept === of(before.gst_no)) ? of(gstin) : kept
  return {
    gst_no: gstin,
    gst_treatment: (sent.gst_treatment?.trim() || null) ?? before.gst_treatment ?? 'REGISTERED',
    place_of_contact: following(before.place_of_contact, stateOfGstin),
    pan: following(before.pan, panOfGstin),
  }
}
