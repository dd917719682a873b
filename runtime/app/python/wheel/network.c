/* network.c - what Debian's HDF5 calls to read files in Amazon's S3, which facet does not: these functions fail. In a wheel they
   stand for curl and OpenSSL, with which thirty libraries more would come. */
#define ABSENT(name)                                                                               \
  void *name(void) { return 0; }
ABSENT(curl_easy_cleanup)
ABSENT(curl_easy_init)
ABSENT(curl_easy_perform)
ABSENT(curl_easy_setopt)
ABSENT(curl_global_cleanup)
ABSENT(curl_global_init)
ABSENT(curl_slist_append)
ABSENT(curl_slist_free_all)
ABSENT(EVP_sha256)
ABSENT(HMAC)
ABSENT(SHA256)
