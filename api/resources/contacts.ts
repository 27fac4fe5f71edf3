// The contacts' routes.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import { archiveContact, changeContact, contactOf, createContact, deleteContact } from '../../commands/contacts.ts'
import { CONTACT_SEARCH, contacts } from '../../models/contact.ts'
import { contains, pageOf } from '../../models/page.ts'
import { modifiedSince, PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Contact, CONTACT_STATUSES, CONTACT_TYPES, ContactChanges, NewContact, showContact } from '../shapes/contact.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Contacts'
const answer = one('contact', Contact)

export const contactRoutes = [
  route({
    method: 'GET', path: '/contacts', tag, does: 'List contacts', scope: 'contacts.READ',
    query: pageQuery({
      contact_type: Type.Optional(Type.Enum(CONTACT_TYPES)),
      status: Type.Optional(Type.Enum(CONTACT_STATUSES)),
      gst_no: Type.Optional(Type.String({ description: 'Exact.' })),
      email: Type.Optional(Type.String({ description: "Exact; the contact's own." })),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, the company or the e-mail.' })),
    }),
    answer: Type.Object({ contacts: Type.Array(Contact), page_context: PageContext }),
    async read(desk, { query }) {
      const { contact_type, status, gst_no, email, search } = query
      const filters: WhereOptions[] = [modifiedSince(query)]
      if (contact_type) filters.push({ contact_type })
      if (status) filters.push({ status })
      if (gst_no !== undefined) filters.push({ gst_no: gst_no.toUpperCase() })
      if (email !== undefined) filters.push({ email })
      if (search) filters.push(contains(CONTACT_SEARCH, search))
      const page = await pageOf(desk, contacts, { ...pageRequest(query), where: { [Op.and]: filters } })
      return { contacts: page.rows.map(showContact), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'GET', path: '/contacts/{contact_id}', tag, does: 'Read a contact', scope: 'contacts.READ', answer,
    read: async (desk, { params }) => ({ contact: showContact(await contactOf(desk, params.contact_id!)) }),
  }),
  route({
    method: 'POST', path: '/contacts', tag, does: 'Create a contact', scope: 'contacts.CREATE', status: 201, answer,
    body: NewContact,
    write: async (books, { body }) => ({ message: 'Contact created.', contact: showContact(await createContact(books, body)) }),
  }),
  route({
    method: 'PUT', path: '/contacts/{contact_id}', tag, does: 'Change a contact', scope: 'contacts.UPDATE', answer,
    body: ContactChanges,
    write: async (books, { params, body }) => ({
      message: 'Contact updated.', contact: showContact(await changeContact(books, params.contact_id!, body)),
    }),
  }),
  route({
    method: 'POST', path: '/contacts/{contact_id}/archive', tag, does: 'Archive a contact', scope: 'contacts.UPDATE', answer,
    write: async (books, { params }) => ({
      message: 'Contact archived.', contact: showContact(await archiveContact(books, params.contact_id!)),
    }),
  }),
  route({
    method: 'DELETE', path: '/contacts/{contact_id}', tag, does: 'Delete a contact that nothing refers to',
    scope: 'contacts.DELETE', answer: Type.Object({}),
    async write(books, { params }) {
      await deleteContact(books, params.contact_id!)
      return { message: 'Contact deleted.' }
    },
  }),
]
