/** Apart from what sends other notifications, which does not need this client. */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventSink } from '../../notify/event-sink.ts';
import { awsAccess } from '../../store/aws-access.ts';

let client: EventBridgeClient | undefined;

/**
 * Puts a notification on a bus as one event: its detail is what a webhook gets. A detail has to be an object, so that of other
 * formats than `json` has their `records`.
 * @throws Error if the bus does not take it.
 */
export async function putEvent(bus: string, { id, body }: Parameters<EventSink>[0]): Promise<void> {
  client ??= new EventBridgeClient(awsAccess());
  const lines = body.split('\n').map((line): unknown => JSON.parse(line));
  const [first] = lines;
  const isOwn = lines.length === 1 && !Array.isArray(first);
  const entry = {
    EventBusName: bus,
    Source: 'email-domain-security-monitor',
    DetailType: 'Notification',
    Detail: isOwn ? body : JSON.stringify({ id, records: lines.flat() }),
  };
  const { FailedEntryCount = 0, Entries: [result] = [] } = await client.send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  if (FailedEntryCount > 0) throw new Error(`the event bus refused it: ${result?.ErrorCode}`);
}
