/** `npm run pack`: builds the package in `dist/package`, and packs it into `dist`. */
import { resolve } from 'node:path';
import { buildPackage } from '../lib/package/build.ts';
import { packFolder } from '../lib/package/pack.ts';

const folder = resolve('dist/package');
await buildPackage(folder);
console.log(await packFolder(folder, resolve('dist')));
