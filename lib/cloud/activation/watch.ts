/**
 * Runs on a schedule and fails while the receipt rule set of the mail stack is not active, or if it cannot find out. An
 * alarm counts the failures, and notices if there are no runs.
 */
import { requireActive } from './activation.ts';
import { sesRuleSets } from './rule-sets.ts';

export const handler = (): Promise<void> => requireActive(process.env.RULE_SET_NAME ?? '', sesRuleSets());
