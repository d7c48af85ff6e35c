import { testHistories } from './histories.ts';

/** `HISTORIES=10000` runs as many of each kind, which takes ten minutes. */
testHistories(Number(process.env.HISTORIES ?? 250));
