/** What people do in the console, in Chromium: with the clicks and fields that docs/screenshots.md says, at each width. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { widths } from '../docs/screenshot-pages.ts';
import { launchChromium, missingForChromium } from '../kit/browser.ts';
import { describeWith } from '../kit/describe-with.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { prepareStories, stories, tell } from '../kit/stories.ts';

describeWith(missingForChromium(), 'in Chromium', () => {
  let service: BootedService;
  let browser: Browser;
  beforeAll(async () => {
    service = await bootService({ TOOL_RATE_PER_MINUTE: '0' });
    [browser] = await Promise.all([launchChromium(), prepareStories(service)]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.remove();
  });

  describe.each(widths)('at %i pixels', (width) => {
    test.each(stories.map((story) => [story.name, story] as const))('%s', async (_, story) => {
      const { clicks, fields } = await tell(story, { browser, service, width });
      expect({ clicks, fields }).toEqual({ clicks: story.clicks, fields: story.fields });
    });
  });
});
