import type { EventSink } from '../../notify/event-sink.ts';
import { config } from '../config/config.ts';

/** The sink of the service, if the operator has one: an event bus, or else a file. */
export function eventSink(): EventSink | undefined {
  const { EVENTS_BUS, EVENTS_FILE } = config();
  if (EVENTS_BUS !== '')
    return async (notification) => (await import('./event-bus.ts')).putEvent(EVENTS_BUS, notification);
  if (EVENTS_FILE !== '')
    return async (notification) => (await import('./events-file.ts')).appendEvent(EVENTS_FILE, notification);
  return undefined;
}
