// The ENCRYPTION_KEY under which histories are recorded; those from before 0.2 are not encrypted.
export const RECORDING_KEY = 'cmVjb3JkZWQgaGlzdG9yaWVzIG9mIGFsbCBwcm9jZXM='
