/* Part of the stand-in for the driver (driver.c): streams, events and captures. */
int cuStreamCreate(void **made, unsigned flags) {
  BEGIN;
  NEEDS_CONTEXT;
  /* The handle of a stream that was destroyed stays unknown for a while. */
  static int last;
  for (int turn = 1; turn <= STREAMS; turn++)
    if (!streams[(last + turn) % STREAMS].used) {
      int k = last = (last + turn) % STREAMS;
      streams[k] = (struct stream){.device = current(), .used = 1, .non_blocking = (flags & NON_BLOCKING) != 0};
      *made = &streams[k];
      return end(OK);
    }
  return end(OUT_OF_MEMORY);
}
int cuStreamDestroy_v2(void *stream) {
  BEGIN;
  struct stream *s = stream_of(stream);
  if (s) s->used = 0;
  return end(s ? OK : INVALID_VALUE);
}
int cuStreamSynchronize(void *stream) {
  BEGIN;
  NEEDS_CONTEXT;
  struct stream *s = stream_of(stream);
  if (!is_default(stream) && (!s || s->device != current())) return end(INVALID_VALUE);
  do_late(late_key(stream), 0, late_count);
  if (!s) return end(OK);
  s->pending = 0;
  return end(OK);
}
int cuStreamGetCtx(void *stream, void **context) {
  BEGIN;
  const struct stream *s = stream_of(stream);
  if (!s) return end(INVALID_HANDLE);
  *context = &contexts[s->device];
  return end(OK);
}
int cuStreamIsCapturing(void *stream, int *status) {
  BEGIN;
  const struct stream *s = stream_of(stream);
  if (!s && !is_default(stream)) return end(INVALID_HANDLE);
  if (is_legacy(stream) && invalidates(1, 1)) return end(CAPTURE_IMPLICIT);
  *status = s && s->captured;
  return end(OK);
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  BEGIN;
  int before = capture_mode;
  capture_mode = *mode, *mode = before;
  return end(OK);
}
void standin_hold(void *stream) { stream_of(stream)->held = 1; }
int standin_capture(void *stream, int captured) {
  struct stream *s = stream_of(stream);
  int invalid = s->invalid;
  s->captured = captured, s->invalid = 0;
  return invalid;
}
static struct event *event_of(void *event) {
  struct event *e = event;
  return e >= events && e < events + STREAMS && e->used ? e : NULL;
}
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  BEGIN;
  (void)flags;
  struct event *e = event_of(event);
  if (!stream_of(stream) || !e) return end(INVALID_VALUE);
  do_late(e->of, 0, e->place);
  return end(OK);
}
int cuEventCreate(void **made, unsigned flags) {
  BEGIN;
  NEEDS_CONTEXT;
  (void)flags;
  for (int k = 0; k < STREAMS; k++)
    if (!events[k].used) {
      events[k] = (struct event){1, current(), NULL, 0};
      *made = &events[k];
      return end(OK);
    }
  return end(OUT_OF_MEMORY);
}
int cuEventDestroy_v2(void *event) {
  BEGIN;
  struct event *e = event_of(event);
  if (e) e->used = 0;
  return end(e ? OK : INVALID_VALUE);
}
int cuEventRecord(void *event, void *stream) {
  BEGIN;
  NEEDS_CONTEXT;
  struct event *e = event_of(event);
  const struct stream *s = stream_of(stream);
  if (!e || e->device != current() || (!is_default(stream) && (!s || s->device != current()))) return end(INVALID_VALUE);
  if (is_legacy(stream) && invalidates(1, 0)) return end(CAPTURE_IMPLICIT);
  e->of = late_key(stream), e->place = late_count;
  return end(OK);
}
int cuEventQuery(void *event) {
  BEGIN;
  return end(event_of(event) ? OK : INVALID_VALUE);
}
