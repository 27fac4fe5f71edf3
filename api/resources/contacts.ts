// The contacts' routes.
import { Type } from 'typebox'
import {
  archiveContact,
  changeContact,
  contactOf,
  createContact,
  deleteContact,
} from '../../commands/masters/contacts.ts'
import { CONTACT_SEARCH, contacts } from '../../models/contact.ts'
import { equals, listing, within } from '../http/listing.ts'
import { route } from '../http/route.ts'
import { Contact, CONTACT_STATUSES, CONTACT_TYPES, ContactChanges, NewContact, showContact } from '../shapes/contact.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Contacts'
const answer = one('contact', Contact)

export const contactRoutes = [
  listing({
    path: '/contacts',
    tag,
    does: 'List contacts',
    scope: 'contacts.READ',
    key: 'contacts',
    table: contacts,
    shape: Contact,
    filters: {
      contact_type: equals(Type.Enum(CONTACT_TYPES)),
      status: equals(Type.Enum(CONTACT_STATUSES)),
      gst_no: equals(),
      email: equals(Type.String({ description: 'Exact.' })),
      search: within(CONTACT_SEARCH, 'Part of the name, the company or the e-mail.'),
    },
    show: (rows) => rows.map(showContact),
  }),
  route({
    method: 'GET',
    path: '/contacts/{contact_id}',
    tag,
    does: 'Read a contact',
    scope: 'contacts.READ',
    answer,
    read: async (context, { params }) => ({ contact: showContact(await contactOf(context, params.contact_id!)) }),
  }),
  route({
    method: 'POST',
    path: '/contacts',
    tag,
    does: 'Create a contact',
    scope: 'contacts.CREATE',
    status: 201,
    answer,
    body: NewContact,
    write: async (books, { body }) => ({
      message: 'Contact created.',
      contact: showContact(await createContact(books, body)),
    }),
  }),
  route({
    method: 'PUT',
    path: '/contacts/{contact_id}',
    tag,
    does: 'Change a contact',
    scope: 'contacts.UPDATE',
    answer,
    body: ContactChanges,
    write: async (books, { params, body }) => ({
      message: 'Contact updated.',
      contact: showContact(await changeContact(books, params.contact_id!, body, showContact)),
    }),
  }),
  route({
    method: 'POST',
    path: '/contacts/{contact_id}/archive',
    tag,
    does: 'Archive a contact',
    scope: 'contacts.UPDATE',
    answer,
    write: async (books, { params }) => ({
      message: 'Contact archived.',
      contact: showContact(await archiveContact(books, params.contact_id!)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/contacts/{contact_id}',
    tag,
    does: 'Delete a contact that nothing refers to',
    scope: 'contacts.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteContact(books, params.contact_id!)
      return { message: 'Contact deleted.' }
    },
  }),
]
