/** A file that is written piece by piece. */
export interface FileSink {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Throws away what was written. */
  readonly abort: () => Promise<void>;
}

/** Starts a browser download of a file. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The download starts within a turn, so the bytes can be released soon.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The part of the File System Access API that Chromium has. */
interface Picker {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
  }) => Promise<{ createWritable: () => Promise<FileSystemWritableFileStream> }>;
}

/**
 * Opens a file to write. A large one goes to the disk at once where the browser permits, after a dialog; null
 * if the user closes that dialog. Otherwise the browser downloads the finished file.
 */
export async function openSink(name: string, type: string, isLarge: boolean): Promise<FileSink | null> {
  const { showSaveFilePicker } = globalThis as Picker;
  if (!isLarge || !showSaveFilePicker) return blobSink(name, type);
  try {
    const file = await showSaveFilePicker.call(globalThis, { suggestedName: name });
    const stream = await file.createWritable();
    return {
      write: (bytes) => stream.write(bytes),
      close: () => stream.close(),
      abort: () => stream.abort(),
    };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null;
    return blobSink(name, type);
  }
}

/** Bytes that wait in memory before the browser takes them over as a blob. */
const HELD = 4_000_000;

function blobSink(name: string, type: string): FileSink {
  let blobs: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  const flush = () => {
    blobs.push(new Blob(waiting));
    waiting = [];
    held = 0;
  };
  return {
    write: async (bytes) => {
      waiting.push(bytes);
      held += bytes.length;
      if (held >= HELD) flush();
    },
    close: async () => {
      flush();
      saveFile(name, new Blob(blobs, { type }));
      blobs = [];
    },
    abort: async () => {
      blobs = [];
      waiting = [];
    },
  };
}
