/** Analyzes the messages in files in sequence, and prints the peak memory of this process in megabytes. */
import { readFileSync } from 'node:fs';
import { analyse } from '../../shared/mail-test/analyse.ts';
import { hostileWorld, received } from './hostile-mails.ts';
import { peakMegabytes } from './peak-memory.ts';

for (const file of process.argv.slice(2)) await analyse(received(readFileSync(file)), hostileWorld);
console.log(Math.round(peakMegabytes()));
