/* Reads and writes files in NumPy's format by hand. */
#include "saved.h"

unsigned char *read_all(const char *path, int64_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return FAIL("cannot open %s", path), NULL;
  fseek(file, 0, SEEK_END);
  *bytes = ftell(file);
  rewind(file);
  unsigned char *data = malloc((size_t)*bytes + 1);
  if (fread(data, 1, (size_t)*bytes, file) != (size_t)*bytes) FAIL("cannot read %s", path);
  fclose(file);
  data[*bytes] = 0;
  return data;
}

void write_all(const char *path, const unsigned char *data, int64_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, (size_t)bytes, file) != (size_t)bytes || fclose(file)) FAIL("cannot write %s", path);
}

static uint32_t crc(const unsigned char *data, int64_t bytes) {
  uint32_t sum = ~0u;
  for (int64_t i = 0; i < bytes; i++) {
    sum ^= data[i];
    for (int k = 0; k < 8; k++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

/* Writes the dictionary of a header. */
static void dictionary(char *text, size_t size, const struct array *array, const char *dtype, int fortran) {
  int n = snprintf(text, size, "{'descr': %s%s%s, 'fortran_order': %s, 'shape': (", *dtype == '[' ? "" : "'", dtype,
                   *dtype == '[' ? "" : "'", fortran ? "True" : "False");
  for (int k = 0; k < array->axes; k++) n += snprintf(text + n, size - (size_t)n, "%lld, ", (long long)array->extents[k]);
  snprintf(text + n, size - (size_t)n, "), }");
}

int judge(const char *path, const struct array *array, const char *dtype) {
  int64_t bytes, bad = 0;
  unsigned char *data = read_all(path, &bytes);
  if (!data) return 1;
  char text[512];
  dictionary(text, sizeof text, array, dtype, 1);
  int64_t begin = data[8] + 256 * data[9] + 10, size = elements_of(array) * array->element, end = begin + size;
  bad += memcmp(data, "\x93NUMPY\1", 8) != 0 || begin % 64 != 0 || strncmp((char *)data + 10, text, strlen(text)) != 0;
  for (int64_t i = 10 + (int64_t)strlen(text); i < begin; i++) bad += data[i] != (i + 1 < begin ? ' ' : '\n');
  if (bytes != end + 132) return FAIL("%s has %lld bytes", path, (long long)bytes), free(data), 1;
  for (int64_t i = 0; i < size; i++) bad += data[begin + i] != value_of(array, i / array->element, i % array->element);
  uint32_t sum = crc(data, end), stored;
  memcpy(&stored, data + end + 128, 4); /* little-endian, as the machines of these tests are */
  bad += sum != stored || memcmp(data + end, "\x93NUMPY\1", 8) != 0 || !strstr((char *)data + end + 10, "crc32");
  free(data);
  return bad != 0;
}

void write_by_hand(const char *path, const struct array *array, const char *dtype) {
  char text[512];
  dictionary(text, sizeof text, array, dtype, 0);
  int64_t length = (int64_t)strlen(text) + 1, size = elements_of(array) * array->element;
  length += (64 - (10 + length) % 64) % 64;
  unsigned char *data = malloc((size_t)(10 + length + size + 1));
  memset(data, ' ', (size_t)(10 + length));
  memcpy(data, "\x93NUMPY\1", 8);
  data[8] = (unsigned char)(length % 256), data[9] = (unsigned char)(length / 256);
  memcpy(data + 10, text, strlen(text));
  data[10 + length - 1] = '\n';
  int64_t at[MAX_AXES] = {0};
  for (int64_t n = 0; n < elements_of(array); n++) {
    int64_t place = 0;
    for (int k = array->axes - 1; k >= 0; k--) place = place * array->extents[k] + at[k];
    for (int64_t b = 0; b < array->element; b++) data[10 + length + n * array->element + b] = value_of(array, place, b);
    for (int k = array->axes - 1; k >= 0 && ++at[k] == array->extents[k]; k--) at[k] = 0;
  }
  write_all(path, data, 10 + length + size);
  free(data);
}
