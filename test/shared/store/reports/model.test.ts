import { testHistories } from './histories.ts';

/** More of them are in `model.long.test.ts`. */
testHistories(20);
