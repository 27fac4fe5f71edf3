// The fonts of PDFs, from packages, so that both engines have the same wherever they run.
import { fileURLToPath } from 'node:url'

const FACES = {
  'noto-sans': [
    '400Regular/NotoSans_400Regular',
    '400Regular_Italic/NotoSans_400Regular_Italic',
    '600SemiBold/NotoSans_600SemiBold',
    '700Bold/NotoSans_700Bold',
    '700Bold_Italic/NotoSans_700Bold_Italic',
  ],
  'noto-sans-devanagari': ['400Regular/NotoSansDevanagari_400Regular', '700Bold/NotoSansDevanagari_700Bold'],
  'noto-sans-tamil': ['400Regular/NotoSansTamil_400Regular', '700Bold/NotoSansTamil_700Bold'],
}

/** The paths of the font files. */
export const FONT_FILES: readonly string[] = Object.entries(FACES).flatMap(([name, faces]) =>
  faces.map((face) => fileURLToPath(import.meta.resolve(`@expo-google-fonts/${name}/${face}.ttf`))),
)
