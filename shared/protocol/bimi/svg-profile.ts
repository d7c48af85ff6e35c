/**
 * The elements and attributes of SVG Tiny Portable/Secure: the schema of draft-svg-tiny-ps-abrotman, which is SVG Tiny
 * 1.2 without scripts, animation, interactivity, links, raster images and style sheets.
 */

interface ElementProfile {
  readonly attributes: ReadonlySet<string>;
  readonly children: ReadonlySet<string>;
  /** Whether it may contain character data. */
  readonly text: boolean;
}

export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
export const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';

/** Without xml:base, which would turn references inside the document into external references. */
const core =
  'id xml:id xml:lang xml:space class role rel rev typeof content datatype resource about property'.split(
    ' ',
  );

const properties =
  `color color-rendering direction display-align fill fill-opacity fill-rule font-family font-size font-style
  font-variant font-weight line-increment solid-color solid-opacity stop-color stop-opacity stroke stroke-dasharray
  stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-align
  text-anchor unicode-bidi vector-effect`.split(/\s+/);

const conditional = ['requiredFonts', 'systemLanguage'];

const media =
  'buffered-rendering display image-rendering shape-rendering text-rendering viewport-fill viewport-fill-opacity visibility'.split(
    ' ',
  );

const graphics =
  'path rect circle line ellipse polyline polygon solidColor textArea linearGradient radialGradient text g defs use'.split(
    ' ',
  );

const inheritable = (words: string): readonly string[] => [...words.split(' '), 'inherit'];

/** Attributes whose values come from a list (draft-svg-tiny-ps-abrotman sections 2.1 and 2.3, and its schema). */
export const valuesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['baseProfile', ['tiny-ps']],
  ['version', ['1.2']],
  ['externalResourcesRequired', ['false']],
  ['focusable', ['false']],
  ['playbackOrder', ['all']],
  ['preserveAspectRatio', ['none', 'none meet', 'xMidYMid', 'xMidYMid meet']],
  ['snapshotTime', ['none']],
  ['timelineBegin', ['onLoad']],
  ['zoomAndPan', ['disable']],
  ['editable', ['none']],
  ['gradientUnits', ['userSpaceOnUse', 'objectBoundingBox']],
  ['xml:space', ['default', 'preserve']],
  ['color-rendering', inheritable('auto optimizeSpeed optimizeQuality')],
  ['direction', inheritable('ltr rtl')],
  ['display-align', inheritable('auto before center after')],
  ['fill-rule', inheritable('nonzero evenodd')],
  ['font-style', inheritable('normal italic oblique')],
  ['font-variant', inheritable('normal small-caps')],
  // SVG Tiny 1.2 allows the numbers, which the schema omits.
  ['font-weight', inheritable('normal bold bolder lighter 100 200 300 400 500 600 700 800 900')],
  ['stroke-linecap', inheritable('butt round square')],
  ['stroke-linejoin', inheritable('miter round bevel')],
  ['text-align', inheritable('start center end')],
  ['text-anchor', inheritable('start middle end')],
  ['unicode-bidi', inheritable('normal embed bidi-override')],
  ['vector-effect', inheritable('none non-scaling-stroke')],
]);

/** Attributes that name an element, by an NCName (Namespaces in XML 1.0, production 4). */
export const namingAttributes: readonly string[] = ['id', 'xml:id'];

/** Attributes that the profile requires on the root element. */
export const requiredOfRoot = ['version', 'baseProfile'];

const ofRoot =
  `width height viewBox version baseProfile contentScriptType externalResourcesRequired focusable playbackOrder
  preserveAspectRatio snapshotTime timelineBegin zoomAndPan`.split(/\s+/);

const shape = (...own: readonly string[]): ElementProfile =>
  profile([...core, ...properties, ...conditional, 'transform', ...own]);

export const elements: ReadonlyMap<string, ElementProfile> = new Map([
  ['svg', profile([...core, ...properties, ...ofRoot], ['title', 'desc', 'metadata', ...graphics])],
  ['title', profile([...core, ...media, ...conditional], [], true)],
  ['desc', profile([...core, ...media, ...conditional], [], true)],
  ['metadata', profile([], [], true)],
  ['g', { ...shape(), children: new Set(graphics) }],
  ['defs', profile([...core, ...properties], graphics)],
  ['use', shape('x', 'y', 'href', 'xlink:href')],
  ['path', shape('d', 'pathLength')],
  ['rect', shape('x', 'y', 'width', 'height', 'rx', 'ry')],
  ['circle', shape('cx', 'cy', 'r')],
  ['ellipse', shape('cx', 'cy', 'rx', 'ry')],
  ['line', shape('x1', 'y1', 'x2', 'y2')],
  ['polyline', shape('points')],
  ['polygon', shape('points')],
  ['text', { ...shape('x', 'y', 'rotate', 'editable'), text: true }],
  ['textArea', { ...shape('x', 'y', 'width', 'height'), text: true }],
  ['solidColor', profile([...core, ...properties])],
  ['linearGradient', profile([...core, ...properties, 'gradientUnits', 'x1', 'y1', 'x2', 'y2'], ['stop'])],
  ['radialGradient', profile([...core, ...properties, 'gradientUnits', 'cx', 'cy', 'r'], ['stop'])],
  ['stop', profile([...core, ...properties, 'offset'])],
]);

function profile(
  attributes: readonly string[],
  children: readonly string[] = [],
  text = false,
): ElementProfile {
  return { attributes: new Set(attributes), children: new Set(children), text };
}
