/** `npm run pack`: builds the package in `dist/package` and the GitHub Action, and packs the package into `dist`. */
import { resolve } from 'node:path';
import { buildAction } from '../lib/package/action.ts';
import { buildPackage } from '../lib/package/build.ts';
import { packFolder } from '../lib/package/pack.ts';

const folder = resolve('dist/package');
await buildAction();
await buildPackage(folder);
console.log(await packFolder(folder, resolve('dist')));
