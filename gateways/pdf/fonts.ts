// The fonts of PDFs, from packages, so that both engines have the same wherever they run.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The scripts of India that PDFs print.
const INDIC = ['Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Oriya', 'Tamil', 'Telugu']

function indicFaces(): Record<string, string[]> {
  const faces = (script: string) => ['400Regular', '700Bold'].map((face) => `${face}/NotoSans${script}_${face}`)
  return Object.fromEntries(INDIC.map((script) => [`noto-sans-${script.toLowerCase()}`, faces(script)]))
}

const FACES: Record<string, string[]> = {
  'noto-sans': [
    '400Regular/NotoSans_400Regular',
    '400Regular_Italic/NotoSans_400Regular_Italic',
    '600SemiBold/NotoSans_600SemiBold',
    '700Bold/NotoSans_700Bold',
    '700Bold_Italic/NotoSans_700Bold_Italic',
  ],
  ...indicFaces(),
}

/** The paths of the font files. */
export const FONT_FILES: readonly string[] = Object.entries(FACES).flatMap(([name, faces]) =>
  faces.map((face) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/${name}/${face}.ttf`))),
)

/** Those that are not there, where packages are incomplete. */
export const missingFonts = (): string[] => FONT_FILES.filter((file) => !existsSync(file))
