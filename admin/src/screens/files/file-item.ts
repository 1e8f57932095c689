import type { IconName } from '../../widgets/icon.tsx';

/** A file or folder as lists show it. */
export interface FileItem {
  /** The path, for a folder. */
  readonly name: string;
  readonly title: string;
  readonly isFolder: boolean;
  readonly isPrivate: boolean;
  readonly url: string;
  readonly bytes: number;
  /** In upper case; '' if there is none. */
  readonly extension: string;
  readonly folder: string;
  readonly modified: string;
  readonly owner: string;
  readonly attachedTo: { readonly doctype: string; readonly name: string } | null;
  /** Address of the thumbnail; '' if there is none. */
  readonly thumbnail: string;
}

/** Fields of list queries. */
export const ITEM_FIELDS = [
  'name',
  'file_name',
  'is_folder',
  'is_private',
  'file_url',
  'file_size',
  'file_type',
  'folder',
  'modified',
  'owner',
  'attached_to_doctype',
  'attached_to_name',
  'thumbnail_url',
] as const;

export const HOME = 'Home';
/** Folders that exist on every site. They cannot be moved, renamed or deleted. */
const STANDING: ReadonlySet<string> = new Set([HOME, 'Home/Attachments']);

/** True if the folder cannot be renamed or moved. */
export function isStanding({ name, isFolder }: FileItem): boolean {
  return isFolder && STANDING.has(name);
}

/** Parses a row of File. */
export function itemOf(row: Readonly<Record<string, unknown>>): FileItem {
  const text = (name: string) => String(row[name] ?? '');
  const doctype = text('attached_to_doctype');
  return {
    name: text('name'),
    title: text('file_name') || text('name'),
    isFolder: row['is_folder'] === 1,
    isPrivate: row['is_private'] === 1,
    url: text('file_url'),
    bytes: Number(row['file_size'] ?? 0),
    extension: text('file_type'),
    folder: text('folder'),
    modified: text('modified'),
    owner: text('owner'),
    attachedTo: doctype === '' ? null : { doctype, name: text('attached_to_name') },
    thumbnail: text('thumbnail_url'),
  };
}

/** Preview kind of a file. Active content is shown as text, or not at all. */
export type PreviewKind = 'image' | 'video' | 'audio' | 'text' | 'none';

const KINDS: readonly (readonly [PreviewKind, string])[] = [
  ['image', 'PNG JPG JPEG JPE JFIF GIF WEBP AVIF'],
  ['video', 'MP4 M4V WEBM MOV OGV'],
  ['audio', 'MP3 WAV OGG OGA OPUS M4A AAC FLAC'],
  [
    'text',
    'TXT MD CSV TSV LOG JSON JSONL YAML YML TOML INI CONF ENV XML SVG HTML HTM CSS JS MJS TS TSX JSX PY RB GO RS JAVA C H CPP SH SQL ICS EML VCF DIFF PATCH',
  ],
];
const KIND_OF = new Map(
  KINDS.flatMap(([kind, extensions]) => extensions.split(' ').map((one) => [one, kind] as const)),
);

export function previewKind({
  extension,
  isFolder,
  url,
}: Pick<FileItem, 'extension' | 'isFolder' | 'url'>): PreviewKind {
  // External files are not fetched: the content policy forbids it, and it would reveal the viewer.
  if (isFolder || !isStored(url)) return 'none';
  return KIND_OF.get(extension) ?? 'none';
}

const ICON_OF_KIND: Readonly<Record<PreviewKind, IconName>> = {
  image: 'image',
  video: 'play',
  audio: 'play',
  text: 'lines',
  none: 'file',
};

/** Kinds that people look for by name. */
const ICONS: readonly (readonly [IconName, string])[] = [
  ['table', 'CSV TSV XLS XLSX XLSM ODS NUMBERS'],
  ['lines', 'DOC DOCX ODT RTF PAGES PDF'],
  ['chart', 'PPT PPTX ODP KEY'],
  ['archive', 'ZIP GZ TGZ TAR BZ2 XZ 7Z RAR ZST'],
  ['code', 'JSON JSONL XML HTML HTM CSS JS MJS TS TSX JSX PY RB GO RS JAVA C H CPP SH SQL'],
  ['image', 'SVG HEIC TIF TIFF BMP ICO'],
  ['mail', 'EML MSG'],
  ['calendar', 'ICS'],
  ['user', 'VCF'],
];
const ICON_OF = new Map(
  ICONS.flatMap(([icon, extensions]) => extensions.split(' ').map((one) => [one, icon] as const)),
);

/** True if the server stores the bytes. Otherwise the File is an external link. */
export function isStored(url: string): boolean {
  return /^(\/private)?\/files\/[^/\\]+$/.test(url);
}

/** The icon of a file's kind. */
export function iconOf(item: Pick<FileItem, 'extension' | 'isFolder' | 'url'>): IconName {
  if (item.isFolder) return 'folder';
  if (!isStored(item.url)) return 'link';
  return ICON_OF.get(item.extension) ?? ICON_OF_KIND[previewKind(item)];
}

/** The URL of a stored file, or of its thumbnail if a size is given. */
export function addressOfFile(
  url: string,
  size?: { readonly side: number; readonly fit: 'cover' | 'contain' },
): string {
  const path = encodeURI(url).replace(/[?#]/g, encodeURIComponent);
  return size ? `${path}?w=${size.side}&h=${size.side}&fit=${size.fit}` : path;
}

/** The URL of an external File; null if it is not an HTTP address. */
export function addressElsewhere(url: string): string | null {
  try {
    const parsed = new URL(url);
    return ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** The folders from Home down to this one, inclusive. */
export function pathTo(folder: string): readonly { readonly path: string; readonly title: string }[] {
  const titles = folder.split('/');
  return titles.map((title, at) => ({ title, path: titles.slice(0, at + 1).join('/') }));
}

/** The parent folder. Home has none. */
export function parentOf(folder: string): string | null {
  const at = folder.lastIndexOf('/');
  return at < 0 ? null : folder.slice(0, at);
}

/** Whether a folder equals another one or is inside it. */
export function isWithin(folder: string, ancestor: string): boolean {
  return folder === ancestor || folder.startsWith(`${ancestor}/`);
}
