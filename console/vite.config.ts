// Builds the console into dist: files named by their content, each also compressed by brotli and gzip.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const FOLDER = import.meta.dirname
const COMPRESSED = /\.(js|css|svg|json)$/

const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  // Not at the close, which comes after a build that failed too.
  writeBundle() {
    const assets = join(FOLDER, 'dist', 'assets')
    for (const name of readdirSync(assets).filter((name) => COMPRESSED.test(name))) {
      const content = readFileSync(join(assets, name))
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 10 }
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content, { params: quality }))
      writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }))
    }
    // Whoever serves the page reads the files anew when its time has changed, so it is the last to.
    utimesSync(join(FOLDER, 'dist', 'index.html'), new Date(), new Date())
  },
}

export default defineConfig({
  root: FOLDER,
  base: '/console/',
  plugins: [react(), compressed],
  // A file in the page itself would need a weaker policy for scripts and pictures.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  logLevel: 'warn',
})
