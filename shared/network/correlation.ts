/**
 * The ID that connects what one request, one received mail, or one turn of a schedule leads to: all log lines have it, and queue
 * messages and stored notifications pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Does some work under this ID. */
export const correlated = <T>(id: string, work: () => T): T => current.run(id, work);

/** The ID of the present work; undefined outside of any. */
export const correlationId = (): string | undefined => current.getStore();
