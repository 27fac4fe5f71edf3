// Azurite, Microsoft's stand-in for Azure Blob Storage, as a program that keeps what it has acknowledged if it is killed.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { default: BlobMetadata } = require('azurite/dist/src/blob/persistence/LokiBlobMetadataStore.js')
const { default: ExtentMetadata } = require('azurite/dist/src/common/persistence/LokiExtentMetadataStore.js')

// By itself it writes its two files of metadata every five seconds. Saves that come while one runs are made by the next one together.
// What is in memory alone is not saved: a save writes down all that there is, which takes longer with each file.
if (!process.argv.includes('--inMemoryPersistence')) {
  saveAfter(BlobMetadata, ['createContainer', 'createBlob', 'commitBlockList', 'deleteBlob'])
  saveAfter(ExtentMetadata, ['updateExtent'])
}
require('azurite/dist/src/blob/main.js')

function saveAfter({ prototype }, methods) {
  for (const method of methods) {
    const original = prototype[method]
    prototype[method] = async function (...args) {
      const result = await original.apply(this, args)
      await new Promise((resolve, reject) => {
        this.db.saveDatabase((error) => (error ? reject(error) : resolve()))
      })
      return result
    }
  }
}
