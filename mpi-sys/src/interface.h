/* All declarations of MPI that reblock uses. MPI's compiler compiles them after mpi.h (shim.c) and rejects differences
 * to this MPI. build.rs makes Rust's declarations from the same lines, so each declaration is one line. */

/* Handles and similar constants, which an MPI defines as variables or numbers: RSMPI_NAME in Rust, reblock_mpi_NAME in
 * C. */
CONSTANT(MPI_Comm, COMM_NULL)
CONSTANT(MPI_Comm, COMM_SELF)
CONSTANT(MPI_Comm, COMM_WORLD)
CONSTANT(MPI_Datatype, INT64_T)
CONSTANT(MPI_Datatype, UINT8_T)
CONSTANT(MPI_Datatype, UINT64_T)
CONSTANT(MPI_Errhandler, ERRORS_RETURN)
CONSTANT(MPI_File, FILE_NULL)
CONSTANT(MPI_Group, GROUP_NULL)
CONSTANT(MPI_Info, INFO_NULL)
CONSTANT(MPI_Op, MIN)
CONSTANT(MPI_Request, REQUEST_NULL)
CONSTANT(MPI_Status *, STATUS_IGNORE)
CONSTANT(MPI_Status *, STATUSES_IGNORE)
CONSTANT(int, ANY_SOURCE)
CONSTANT(int, COMM_TYPE_SHARED)

/* Numbers: in Open MPI, in MPICH's ABI, and in the standard ABI. */
NUMBER(MPI_SUCCESS, 0, 0, 0)
NUMBER(MPI_ERR_IN_STATUS, 18, 17, 19)
NUMBER(MPI_ERR_PENDING, 19, 18, 18)
NUMBER(MPI_UNDEFINED, -32766, -32766, -32766)
NUMBER(MPI_MAX_ERROR_STRING, 256, 512, 512)
NUMBER(MPI_THREAD_MULTIPLE, 3, 3, 4096)
NUMBER(MPI_UNIVERSE_SIZE, 6, 0x64400009, 507)
NUMBER(MPI_MODE_RDONLY, 2, 2, 16)
NUMBER(MPI_MODE_WRONLY, 4, 4, 256)
NUMBER(MPI_DISTRIBUTE_BLOCK, 0, 121, 17)
NUMBER(MPI_DISTRIBUTE_CYCLIC, 1, 122, 18)
NUMBER(MPI_DISTRIBUTE_NONE, 2, 123, 16)
NUMBER(MPI_DISTRIBUTE_DFLT_DARG, -1, -49767, 19)
NUMBER(MPI_ORDER_C, 0, 56, 12)
NUMBER(MPI_ORDER_FORTRAN, 1, 57, 15)

int MPI_Abort(MPI_Comm comm, int errorcode);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn, MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval, void *extra_state);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler);
int MPI_Comm_get_parent(MPI_Comm *parent);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]);
int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
int MPI_Errhandler_free(MPI_Errhandler *errhandler);
int MPI_Error_string(int errorcode, char *string, int *resultlen);
int MPI_File_close(MPI_File *fh);
int MPI_File_get_size(MPI_File fh, MPI_Offset *size);
int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh);
int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status);
int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler);
int MPI_File_sync(MPI_File fh);
int MPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status);
int MPI_Finalized(int *flag);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count);
int MPI_Get_library_version(char *version, int *resultlen);
int MPI_Group_free(MPI_Group *group);
int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]);
int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Info_create(MPI_Info *info);
int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo);
int MPI_Info_free(MPI_Info *info);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Initialized(int *flag);
int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm);
int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Query_thread(int *provided);
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses);
