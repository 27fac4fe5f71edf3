// The nightly sweep in the model: what is owed after its due date becomes OVERDUE.
import type { AsyncCommand } from 'fast-check'
import { openBooks } from '../../commands/books/open-books.ts'
import { housekeeper, markOverdue } from '../../commands/documents/overdue.ts'
import type { OrganizationFacts } from '../../models/token.ts'
import type { Books } from './books.ts'
import { compareThing, type Session } from './step.ts'

export class Sweep implements AsyncCommand<Books, Session> {
  check(): boolean {
    return true
  }

  async run(books: Books, session: Session): Promise<void> {
    const { service, client } = session
    const [organization] = await service.sql<OrganizationFacts>('SELECT * FROM organizations WHERE id = $1', client.orgId)
    const parts = { database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }
    await openBooks(parts, housekeeper(organization!), markOverdue)
    books.touched.clear()
    for (const document of books.documents) {
      if (document.gone || !document.isOpen || document.status === 'OVERDUE' || document.balance === 0n || document.terms.due >= books.today) continue
      document.status = 'OVERDUE'
      document.tell(books, 'UPDATED', 'OVERDUE')
    }
    session.outcomes.set(`sweep: ${books.touched.size > 0}`, (session.outcomes.get(`sweep: ${books.touched.size > 0}`) ?? 0) + 1)
    for (const document of books.touched) await compareThing(books, session, document)
  }

  toString(): string {
    return '\n  sweep'
  }
}
