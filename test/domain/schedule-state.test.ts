// How a schedule moves on: runs, pauses, changes of its rule, and its end.
import { expect, test } from '@jest/globals'
import { advanced, movedTo, nextDate, recounted, repeated, settled, skippedPast, type ScheduleState } from '../../domain/schedule-state.ts'

const TICK = { time: '09:00', zone: 'Asia/Kolkata' }
const state = (changes: Partial<ScheduleState> = {}): ScheduleState => ({
  frequency: 'MONTHLY', interval_count: 1, month_anchor: 'START_DAY', start_date: '2026-01-31', end_date: null, max_runs: null, status: 'ACTIVE',
  run_count: 0, anchor_date: '2026-01-31', anchor_occurrence: 1, next_occurrence: 1, last_date: null, ...changes,
})
const at = (date: string) => new Date(`${date}T03:30:00.000Z`)

test('a run goes one interval further and counts a document', () => {
  expect(advanced(state(), TICK)).toEqual({
    run_count: 1, next_occurrence: 2, last_date: '2026-01-31', status: 'ACTIVE', next_run_at: at('2026-02-28'),
  })
})

test('it is completed after its last run, or when the next date is after its end', () => {
  expect(advanced(state({ max_runs: 1 }), TICK)).toMatchObject({ status: 'COMPLETED', next_run_at: null })
  expect(advanced(state({ end_date: '2026-02-27' }), TICK)).toMatchObject({ status: 'COMPLETED', next_run_at: null })
  expect(advanced(state({ end_date: '2026-02-28' }), TICK)).toMatchObject({ status: 'ACTIVE', next_run_at: at('2026-02-28') })
  expect(nextDate(state({ max_runs: 3, run_count: 3 }))).toBeNull()
})

test('with its end moved away, a completed one is paused, not active', () => {
  const done = state({ status: 'COMPLETED', max_runs: 2, run_count: 2, next_occurrence: 3 })
  expect(settled(done, { max_runs: 4 }, TICK)).toEqual({ max_runs: 4, status: 'PAUSED', next_run_at: at('2026-03-31') })
  expect(settled(done, {}, TICK)).toEqual({ status: 'COMPLETED', next_run_at: null })
})

test('resumed, it skips what fell due, and their numbers stay theirs', () => {
  expect(skippedPast(state(), '2026-06-30T03:29:59.000Z', TICK)).toEqual({
    next_occurrence: 6, last_date: '2026-05-31', status: 'ACTIVE', next_run_at: at('2026-06-30'),
  })
  expect(skippedPast(state(), '2026-06-30T03:30:00.000Z', TICK)).toMatchObject({ next_occurrence: 7, next_run_at: at('2026-07-31') })
  expect(skippedPast(state(), '2026-01-01T00:00:00.000Z', TICK)).toEqual({ status: 'ACTIVE', next_run_at: at('2026-01-31') })
  expect(skippedPast(state({ end_date: '2026-05-31' }), '2026-06-30T00:00:00.000Z', TICK)).toMatchObject({ status: 'COMPLETED', next_run_at: null })
})

test('before its first run, a changed rule counts from the start date, past or not', () => {
  expect(recounted(state({ frequency: 'WEEKLY', start_date: '2026-03-02' }), '2026-05-05', TICK)).toEqual({
    anchor_date: '2026-03-02', anchor_occurrence: 1, status: 'ACTIVE', next_run_at: at('2026-03-02'),
  })
})

test('after a run, a changed rule bills no day twice and nothing before today', () => {
  const ran = state({ run_count: 4, next_occurrence: 5, last_date: '2026-04-30' })
  const weekly = recounted({ ...ran, frequency: 'WEEKLY' }, '2026-05-05', TICK)
  expect(weekly).toMatchObject({ anchor_date: '2026-01-31', next_run_at: at('2026-05-09') })
  expect(advanced({ ...ran, frequency: 'WEEKLY', ...weekly }, TICK)).toMatchObject({ next_occurrence: 6, last_date: '2026-05-09' })
  const early = recounted({ ...ran, frequency: 'DAILY', last_date: '2026-06-01' }, '2026-05-05', TICK)
  expect(early.next_run_at).toEqual(at('2026-06-02'))
  expect(recounted({ ...ran, start_date: '2026-12-31' }, '2026-05-05', TICK).next_run_at).toEqual(at('2026-12-31'))
})

test('an explicit date becomes the one that the others are counted from', () => {
  const moved = movedTo(state({ run_count: 4, next_occurrence: 5, last_date: '2026-04-30' }), '2026-05-15', TICK)
  expect(moved).toEqual({ anchor_date: '2026-05-15', anchor_occurrence: 5, status: 'ACTIVE', next_run_at: at('2026-05-15') })
  expect(advanced({ ...state({ run_count: 4, next_occurrence: 5 }), ...moved }, TICK)).toMatchObject({ next_run_at: at('2026-06-15') })
})

test('a repeated run is a document more: one interval further only where the schedule waits at its date', () => {
  const waits = state({ next_occurrence: 3, run_count: 1, last_date: '2026-02-28', max_runs: 3 })
  expect(repeated(waits, { occurrence: 3, period_start: '2026-03-31' }, TICK)).toEqual(advanced(waits, TICK))
  expect(repeated(waits, { occurrence: 2, period_start: '2026-02-28' }, TICK)).toEqual({ run_count: 2, status: 'ACTIVE', next_run_at: at('2026-03-31') })
  expect(repeated({ ...waits, run_count: 2 }, { occurrence: 2, period_start: '2026-02-28' }, TICK)).toMatchObject({ status: 'COMPLETED', next_run_at: null })
  const moved = { ...waits, ...movedTo(waits, '2026-05-15', TICK) }
  const after = repeated(moved, { occurrence: 3, period_start: '2026-03-31' }, TICK)
  expect(after).toMatchObject({ next_occurrence: 4, run_count: 2, next_run_at: at('2026-05-15') })
  expect(nextDate({ ...moved, ...after })).toBe('2026-05-15')
})
