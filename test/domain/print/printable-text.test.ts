// Text of users on paper: literal, printable, and within bounds.
import { describe, expect, test } from '@jest/globals'
import { CUT_MARK, DESCRIPTION_BOUNDS, linesFilled, PARAGRAPH_BOUNDS, paragraphs, printableLine, printableLines } from '../../../domain/print/printable-text.ts'

describe('a line', () => {
  test.each([
    [null, ''], [undefined, ''], ['  Asha Traders ', 'Asha Traders'],
    ['{d.number} & <b>bold</b> "q" \'s\' {#x}', '{d.number} & <b>bold</b> "q" \'s\' {#x}'],
    ['a\u0000b\u0007c\u001b[31md\u007f\u009b', 'abc[31md'], ['a\tb', 'a b'], ['two\r\nlines\nand\u2028more', 'two lines and more'],
    ['\ud800half\udc00', 'half'], ['\ufffe\uffff', ''], ['😀 ₹ नमस्ते வணக்கம்', '😀 ₹ नमस्ते வணக்கம்'],
    ['क्\u200dष', 'क्\u200dष'],
  ])('%j prints as %j', (text, printed) => expect(printableLine(text)).toBe(printed))

  test('that is too long is cut, and says so', () => {
    const cut = printableLine('x'.repeat(100_000))
    expect(cut).toHaveLength(300)
    expect(cut.endsWith(CUT_MARK)).toBe(true)
    expect(printableLine('x'.repeat(300))).toBe('x'.repeat(300))
  })

  test('is not cut between a letter and its vowel sign, or in a pair of surrogates', () => {
    for (const letter of ['की', 'கோ', '😀', '👩‍👩‍👧']) {
      for (const before of ['', 'x', 'xx', 'xxx']) {
        const kept = printableLine(before + letter.repeat(400)).slice(before.length, -CUT_MARK.length)
        expect(kept.replaceAll(letter, '')).toBe('')
      }
    }
  })
})

describe('several lines', () => {
  test('ten thousand of them are cut, and say so', () => {
    const lines = printableLines('line\n'.repeat(10_000), DESCRIPTION_BOUNDS).split('\n')
    expect(lines).toHaveLength(DESCRIPTION_BOUNDS.lines + 1)
    expect(lines.at(-1)).toBe(CUT_MARK)
    const all = paragraphs('line\r\n'.repeat(10_000))
    expect(all).toHaveLength(PARAGRAPH_BOUNDS.lines + 1)
    expect(all.at(-1)).toEqual({ text: CUT_MARK })
  })

  test('characters count too', () => {
    const text = printableLines('y'.repeat(1_000_000), DESCRIPTION_BOUNDS)
    expect(text).toHaveLength(DESCRIPTION_BOUNDS.characters)
    expect(printableLines('y\n'.repeat(29) + 'z'.repeat(5_000), DESCRIPTION_BOUNDS).length).toBeLessThanOrEqual(DESCRIPTION_BOUNDS.characters)
    expect(printableLines(`${'y'.repeat(5_000)}\n`.repeat(50), DESCRIPTION_BOUNDS).length).toBeLessThanOrEqual(DESCRIPTION_BOUNDS.characters)
  })

  test('become paragraphs, without empty ones', () => {
    expect(paragraphs(' One\n\n\nTwo \r\n\t\n')).toEqual([{ text: 'One' }, { text: 'Two' }])
    expect(paragraphs(null)).toEqual([])
  })

  test('fill as many lines as they have, and as they are long', () => {
    expect([linesFilled('', 40), linesFilled('a\nb', 40), linesFilled('x'.repeat(81), 40)]).toEqual([1, 2, 3])
  })
})
