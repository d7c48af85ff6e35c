/** Bugs that the simulation has to find: each is a change of the text of the product, made when it is bundled. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  /** Text that is in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export const plantedBugs: readonly Bug[] = [
  {
    name: 'A mail is acknowledged before it is announced',
    file: 'lib/local/host/smtp/deliver.ts',
    from: 'await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));',
    to: 'sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody })).catch(() => undefined);',
  },
  {
    name: 'A message that failed is deleted from its queue',
    file: 'lib/local/host/poller.ts',
    from: "const done = messages.filter((message) => !failed.has(message.MessageId ?? ''));",
    to: 'const done = messages; void failed;',
  },
  {
    name: 'A report that is there already is stored again',
    file: 'shared/store/reports/commit.ts',
    from: 'Put: { Item: { ...key, ...attributesOf(item) }, ...ABSENT },',
    to: 'Put: { Item: { ...key, ...attributesOf(item) } },',
  },
  {
    name: 'A roll-up is stored before its reports are marked as rolled up',
    file: 'shared/store/reports/summaries.ts',
    from: 'const failed = await table.tryTransact([isRegistered(domain), update, { Put: { Item } }]);',
    to: 'await table.tryTransact([{ Put: { Item } }]); const failed = await table.tryTransact([isRegistered(domain), update]);',
  },
  {
    name: 'A mail that could not be stored is acknowledged',
    file: 'lib/local/host/smtp/listener.ts',
    from: "reply(isFull() ? full() : new Refusal(451, 'The message cannot be stored now, try again later'));",
    to: 'reply();',
  },
  {
    name: 'That an alert was raised is not recorded',
    file: 'shared/store/alerts/dedupe-keys.ts',
    from: 'UpdateExpression: `SET #claim = :true',
    to: 'UpdateExpression: `SET claimed = :true',
  },
  {
    name: 'That an attention item was closed is not stored',
    file: 'shared/store/attention-changes.ts',
    from: 'return [{ Delete: { Key: keyOf(organization, item), ...PRESENT } }, ...events];',
    to: 'return events;',
  },
  {
    name: 'An alert is still pending when it is in a delivery',
    file: 'shared/store/alerts/deliveries.ts',
    from: 'return (await table.tryTransact([...writes, ...pendingRemovals(pending)])).size === 0;',
    to: 'void pendingRemovals(pending); return (await table.tryTransact(writes)).size === 0;',
  },
  {
    name: 'The URL of a webhook is logged',
    file: 'shared/notify/deliver.ts',
    from: "if (answer.status !== 'found') return { status: 'failed', reason: ",
    to: "if (answer.status !== 'found') return { status: 'failed', reason: url + ",
  },
  {
    name: 'Alerts of all organizations are in one list',
    file: 'shared/store/keys.ts',
    from: "indexed('alerts', ",
    to: "indexed('alerts', '#ALERTS'.concat(list) || ",
  },
  {
    name: 'Mails wait for the DNS of their sender as long as they like',
    file: 'shared/ingest/sender-patience.ts',
    from: 'if (patient < PATIENT_MAILS && queuedMilliseconds() <= QUEUED_MILLISECONDS) {',
    to: 'if (queuedMilliseconds() >= 0) {',
  },
  {
    name: 'A stop waits for a poll that goes on',
    file: 'lib/local/host/poller.ts',
    from: '      stopping.abort();\n',
    to: '',
  },
];
