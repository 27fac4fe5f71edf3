// The bodies of resets of passwords.
import { Type } from 'typebox'
import { Text } from './fields.ts'

export const PasswordResetRequest = Type.Object({ email: Text(254) })

export const PasswordReset = Type.Object({ token: Text(200), password: Text(1_000) })
