// The failure converter of workers and of the bundle of workflows; Temporal loads it with require().
const { DefaultFailureConverter } = require('@temporalio/common')

exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
