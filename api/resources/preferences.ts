// The routes of an organisation's preferences, which signed-in persons alone read and change.
import { changePreferences, readPreferences } from '../../commands/organizations/preferences.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { preferenceChanges, PreferenceChangesBody, PreferencesAnswer, showPreferences } from '../shapes/preferences.ts'

const preferences = {
  tag: 'Preferences',
  by: 'session',
  path: '/preferences',
  answer: one('preferences', PreferencesAnswer),
} as const

export const preferenceRoutes = [
  route({
    ...preferences,
    method: 'GET',
    does: "Read the organisation's preferences",
    scope: 'preferences.READ',
    read: async (context) => ({ preferences: showPreferences(await readPreferences(context)) }),
  }),
  route({
    ...preferences,
    method: 'PUT',
    does: "Change the organisation's preferences",
    scope: 'preferences.UPDATE',
    changesOrganization: true,
    warns: true,
    body: PreferenceChangesBody,
    write: async (books, { body }) => ({
      message: 'Preferences updated.',
      preferences: showPreferences(await changePreferences(books, preferenceChanges(body))),
    }),
  }),
]
