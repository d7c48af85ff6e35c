/** Makes the compiler say what the types of the library are that schemas derive. Nothing runs this file. */
import type { DomainCheck, Simulation } from '../../lib/library/index.ts';

declare const check: DomainCheck;
declare const simulation: Simulation;

export const { results, score } = check;
export const { startDate, endDate, current, proposed, summary, senders } = simulation;
