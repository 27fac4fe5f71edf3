// `npm run demo`: books a month of a small trader into a new organisation of the local run, prints its statements, lets a schedule bill, and mails an invoice.
import { readLocalRun } from '../settings.ts'
import { readDemoCard } from './services/demo-card.ts'
import { mailInvoice } from './month/mail.ts'
import { billBySchedule } from './month/schedule.ts'
import { bookMonth } from './month/story.ts'
import { customersDues, printDues, printTrialBalance, trialBalance } from './month/trial-balance.ts'
import { openTrader, reasonOf } from './month/trader.ts'

const { dataDir } = readLocalRun()
const card = readDemoCard(dataDir)
const answers =
  card !== null &&
  (await fetch(`${card.base_url}/ping`).then(
    ({ ok }) => ok,
    () => false,
  ))
if (!answers) {
  console.error(`There is no local run in ${dataDir} that answers. Start one with npm start, and leave it running.`)
  process.exit(2)
}
try {
  const trader = await openTrader({
    baseUrl: card.base_url,
    partnerKey: card.partner_key,
    print: (line) => console.log(line),
  })
  console.log(`${trader.name}, a new organisation (${trader.orgId})\n`)
  await bookMonth(trader)
  const balance = await trialBalance(trader)
  printTrialBalance(trader, balance)
  printDues(trader, await customersDues(trader))
  if (balance.debit !== balance.credit) throw new Error('the trial balance does not agree')
  await billBySchedule(trader)
  await mailInvoice(trader, card.mailbox_url)
  console.log(
    `\nTo explore it with its token: curl -H "Authorization: Bearer ${trader.token}" ${card.base_url}/journals`,
  )
} catch (error) {
  console.error(`\n${reasonOf(error as Error)}`)
  process.exitCode = 1
}
