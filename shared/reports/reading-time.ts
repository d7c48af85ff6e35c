/** How long the reading of a mail may go on, whatever is in it. */
import { MAX_READING_SECONDS } from './limits.ts';
import { tooLarge } from './refusal.ts';

/** Milliseconds that this process has computed. */
export type ProcessorTime = () => number;

/**
 * One for all that a mail carries. Processor time is what counts: a busy machine makes no mail larger. It is looked at
 * between pieces of what is read, since no timer fires before there is a pause.
 */
export class ReadingTime {
  readonly #processorTime: ProcessorTime;
  readonly #end: number;

  constructor(processorTime: ProcessorTime = ofThisProcess) {
    this.#processorTime = processorTime;
    this.#end = processorTime() + MAX_READING_SECONDS * 1000;
  }

  /** Throws a refusal when it is over. */
  check(): void {
    if (this.#processorTime() > this.#end)
      throw tooLarge(`reading the mail takes more than ${MAX_READING_SECONDS} seconds`);
  }
}

function ofThisProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
